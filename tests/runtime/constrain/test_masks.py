"""The functions of the decode loop: masks, steps, drafts, budgets."""

from __future__ import annotations

import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.errors import BindError, CapacityError
from sqlax.models.fake import ByteTokenizer
from sqlax.models.tokenizers import from_gguf
from sqlax.runtime.constrain.constraint import token_automaton
from sqlax.runtime.constrain.expression import choice
from sqlax.runtime.constrain.masks import (
    advance,
    advance_along,
    allowed,
    draft_masks,
    forced,
)
from sqlax.runtime.constrain.regex import regex
from sqlax.runtime.constrain.sql_type import parse_columns, parse_type
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.constrain.type_schema import text_of_type
from sqlax.runtime.constrain.vocabulary import Vocabulary, vocabulary_of
from tests.models.tokenizers.small import byte_level

pytestmark = pytest.mark.usefixtures("cache_folder")

BYTES = vocabulary_of(ByteTokenizer())
END = ByteTokenizer().end_of_text
MERGED = vocabulary_of(from_gguf(byte_level("gpt-2", ("t r", "u e", "tr ue", '" :', "1 2"))))
MASK, STEP = jax.jit(allowed), jax.jit(advance)


def of_pattern(pattern: str, max_tokens: int = 99) -> TokenAutomaton:
    automaton: TokenAutomaton = jax.device_put(token_automaton(regex(pattern), BYTES, max_tokens))
    return automaton


def at(automaton: TokenAutomaton, text: str) -> int:
    state = jnp.zeros(1, jnp.int32)
    for byte in text.encode():
        state = STEP(automaton, state, jnp.full(1, byte, jnp.int32))
    return int(state[0])


def tokens(mask: jax.Array) -> str:
    """The bytes of a mask, and $ for the end of the text."""
    found = np.flatnonzero(np.asarray(mask)).tolist()
    return "".join("$" if token == END else chr(token) for token in found)


def test_the_mask_of_each_row_is_that_of_its_state() -> None:
    automaton = of_pattern("ab?|cd*e")
    states = jnp.asarray([0, at(automaton, "a"), at(automaton, "cd")], jnp.int32)
    masks = MASK(automaton, states, jnp.full(3, 9, jnp.int32))
    assert [tokens(mask) for mask in masks] == ["ac", "b$", "de"]


def test_what_could_not_be_closed_in_time_is_not_allowed() -> None:
    automaton = of_pattern("a|bcdd*e")
    start = jnp.zeros(4, jnp.int32)
    masks = MASK(automaton, start, jnp.asarray([1, 3, 4, 5], jnp.int32))
    assert [tokens(mask) for mask in masks] == ["a", "a", "ab", "ab"]
    behind = jnp.full(2, at(automaton, "bcd"), jnp.int32)
    masks = MASK(automaton, behind, jnp.asarray([1, 2], jnp.int32))
    assert [tokens(mask) for mask in masks] == ["e", "de"]


def test_without_tokens_left_a_text_can_only_end() -> None:
    automaton = of_pattern("a*")
    mask = MASK(automaton, jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32))
    assert tokens(mask[0]) == "$"


def test_a_token_that_is_not_allowed_changes_nothing() -> None:
    automaton = of_pattern("ab")
    state = jnp.full(2, at(automaton, "a"), jnp.int32)
    assert (
        STEP(automaton, state, jnp.asarray([ord("x"), END], jnp.int32)).tolist() == state.tolist()
    )


def test_forced_tokens() -> None:
    automaton = of_pattern("a(xy|xz)c?")
    states = [at(automaton, text) for text in ("", "a", "ax", "axy", "axyc")]
    found = forced(automaton, jnp.asarray(states, jnp.int32)).tolist()
    assert found == [ord("a"), ord("x"), -1, -1, -1]


@pytest.mark.parametrize("x64", [False, True])
def test_masks_of_a_draft_are_those_of_single_steps(x64: bool) -> None:
    """kv_conformance.md, section 9: every draft position and the bonus are masked."""
    with jax.enable_x64(x64):
        automaton = of_pattern(r"\d{2,4}(,\d{2})?")
        draft = jnp.asarray([[ord(c) for c in text] for text in ("12,3", "1234", "1,,,")])
        draft = draft.astype(jnp.int32)
        state, remaining = jnp.zeros(3, jnp.int32), jnp.asarray([7, 5, 9], jnp.int32)
        masks = jax.jit(draft_masks)(automaton, state, remaining, draft)
        assert masks.shape == (3, 5, len(BYTES.length))
        for place in range(5):
            expected = MASK(automaton, state, remaining - place)
            np.testing.assert_array_equal(masks[:, place], expected)
            if place < 4:
                state = STEP(automaton, state, draft[:, place])
                assert state.dtype == jnp.int32


def test_a_draft_advances_by_its_accepted_tokens_only() -> None:
    automaton = of_pattern("a{9}")
    draft = jnp.full((3, 4), ord("a"), jnp.int32)
    start = jnp.zeros(3, jnp.int32)
    after = advance_along(automaton, start, draft, jnp.asarray([0, 2, 4], jnp.int32))
    assert after.tolist() == [0, at(automaton, "aa"), at(automaton, "aaaa")]


def test_a_forced_token_is_an_accepted_draft() -> None:
    automaton = of_pattern("(ab)*c")
    state = jnp.full(1, at(automaton, "a"), jnp.int32)
    draft = forced(automaton, state)
    masks = draft_masks(automaton, state, jnp.full(1, 9, jnp.int32), draft[:, None])
    assert bool(masks[0, 0, draft[0]])
    assert tokens(masks[0, 1]) == "ac"


T16 = text_of_type(parse_columns("n INT, s VARCHAR"))


@pytest.mark.parametrize("words", [BYTES, MERGED], ids=["bytes", "merged"])
@pytest.mark.parametrize("extra", [0, 1, 5])
def test_random_walks_in_masks_end_in_time(words: Vocabulary, extra: int) -> None:
    """T16: with tiny max_tokens the value is valid, whatever the model prefers."""
    most = int(token_automaton(T16, words, 99).closing[0]) + extra
    automaton = jax.device_put(token_automaton(T16, words, most))
    rng = np.random.default_rng(extra)
    state, text = jnp.zeros(8, jnp.int32), [b""] * 8
    for step in range(most):
        mask = np.asarray(MASK(automaton, state, jnp.full(8, most - step, jnp.int32)))
        assert mask.any(axis=1).all()
        chosen = (rng.random(mask.shape) * mask).argmax(axis=1)
        text = [t + spelled(words, token) for t, token in zip(text, chosen.tolist(), strict=True)]
        state = STEP(automaton, state, jnp.asarray(chosen, jnp.int32))
    for row in text:
        value = json.loads(row)
        assert list(value) == ["n", "s"]
        assert isinstance(value["n"], int)
        assert isinstance(value["s"], str)


def spelled(words: Vocabulary, token: int) -> bytes:
    """The token's bytes: none for an end token."""
    return bytes(words.spelled[token, : words.length[token]].tolist())


def test_what_cannot_be_said_in_time_is_refused() -> None:
    with pytest.raises(CapacityError, match="takes 14 tokens"):
        token_automaton(T16, BYTES, 13)
    assert token_automaton(T16, BYTES, 14).closing[0] == 14


def test_what_nothing_fits_is_refused() -> None:
    with pytest.raises(BindError, match="no text"):
        token_automaton(choice(), BYTES, 9)


def test_automata_of_one_size_share_a_program() -> None:
    shapes = {
        tuple(leaf.shape for leaf in jax.tree.leaves(token_automaton(expression, BYTES, 99)))
        for expression in (T16, regex("a+"), text_of_type(parse_type("DATE")))
    }
    assert len(shapes) == 1
