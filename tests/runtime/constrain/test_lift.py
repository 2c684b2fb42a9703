"""Byte automata against the token automata that they are lifted to."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sqlax.errors import BindError
from sqlax.models.tokenizer import Tokenizer
from sqlax.models.tokenizers import from_gguf
from sqlax.runtime.constrain import lift as lifting
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.regex import regex
from sqlax.runtime.constrain.store import lift_once
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.constrain.token_automaton import NEVER, TokenAutomaton
from sqlax.runtime.constrain.vocabulary import Vocabulary, vocabulary_of
from tests.models.tokenizers.small import byte_level, sentencepiece

PIECES = ("t r", "u e", "tr ue", "f a", "1 2", "a b", "ab a", "\u00c3 \u00a9")
PATTERNS = ["true|false", "[0-9]{1,3}", "(ab|é)*", "a*b?", "(12)*", r"\d+(,\d+)*", "(?s).{0,4}"]


def lift(automaton: ByteAutomaton, vocabulary: Vocabulary) -> TokenAutomaton:
    """Where texts go on until the automaton ends them."""
    nothing = np.zeros(len(automaton.accepting), bool)
    return lifting.lift(automaton, vocabulary, nothing).automaton


def small() -> Vocabulary:
    return vocabulary_of(from_gguf(byte_level("gpt-2", PIECES)))


def spelled(vocabulary: Vocabulary, token: int) -> bytes:
    return bytes(vocabulary.spelled[token, : vocabulary.length[token]].tolist())


def state_after(automaton: ByteAutomaton, text: bytes, state: int = 0) -> int:
    for byte in text:
        if state >= 0:
            state = int(automaton.next[state, automaton.class_of_byte[byte]])
    return state


def step(lifted: TokenAutomaton, state: int, token: int) -> int:
    return int(lifted.next[state, lifted.class_of_token[token]])


def walk(lifted: TokenAutomaton, draw: random.Random, most: int) -> list[int]:
    """A random text of at most that many tokens."""
    state, tokens = 0, list[int]()
    while not (lifted.accepting[state] and (draw.random() < 0.2 or len(tokens) == most)):
        after = lifted.next[state][lifted.class_of_token]
        closing = np.where(after >= 0, np.asarray(lifted.closing)[after], NEVER)
        allowed = np.flatnonzero(closing < most - len(tokens))
        if not len(allowed):
            assert lifted.accepting[state]
            break
        tokens.append(int(draw.choice(allowed)))
        state = step(lifted, state, tokens[-1])
    return tokens


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tokens_lead_where_their_bytes_lead(pattern: str) -> None:
    automaton = byte_automaton(regex(pattern))
    vocabulary = small()
    lifted = lift(automaton, vocabulary)
    pairs = {0: 0}  # lifted states and their byte states
    for state, bytes_state in (queue := list(pairs.items())):
        allowed = 0
        for token in range(len(vocabulary.length)):
            after = step(lifted, state, token)
            if after >= 0:
                allowed += 1
                target = state_after(automaton, spelled(vocabulary, token), bytes_state)
                assert pairs.setdefault(after, target) == target
                if (after, target) not in queue:
                    queue.append((after, target))
        assert lifted.accepting[state] == automaton.accepting[bytes_state]
        assert (lifted.forced[state] >= 0) == (allowed == 1 and not lifted.accepting[state])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_token_is_allowed_where_the_text_is_not_forced(pattern: str) -> None:
    automaton = byte_automaton(regex(pattern))
    vocabulary = small()
    lifted = lift(automaton, vocabulary)
    if lifted.forced[0] >= 0:
        return
    for token in np.flatnonzero(vocabulary.length).tolist():
        goes_on = state_after(automaton, spelled(vocabulary, token)) >= 0
        assert (step(lifted, 0, token) >= 0) == goes_on


def test_control_tokens_are_allowed_nowhere() -> None:
    lifted = lift(byte_automaton(regex("(?s).*")), small())
    assert (lifted.class_of_token[:2] == 0).all()
    assert (lifted.next[:, 0] == -1).all()
    assert lifted.ends.tolist()[:3] == [True, False, False]


def test_closing_is_the_fewest_tokens() -> None:
    vocabulary = small()
    assert lift(byte_automaton(regex("true")), vocabulary).closing[0] == 1
    assert lift(byte_automaton(regex("truetrue|x{6}")), vocabulary).closing[0] == 2
    assert lift(byte_automaton(regex("x*")), vocabulary).closing[0] == 0


def test_forced_text_takes_the_fewest_tokens() -> None:
    vocabulary = small()
    lifted = lift(byte_automaton(regex("xabatrue")), vocabulary)
    state, found = 0, list[bytes]()
    while not lifted.accepting[state]:
        token = int(lifted.forced[state])
        found.append(spelled(vocabulary, token))
        state = step(lifted, state, token)
    assert found == [b"x", b"aba", b"true"]


def test_a_token_across_the_end_of_forced_text_keeps_the_choice() -> None:
    lifted = lift(byte_automaton(regex("f(a|b)")), small())
    assert lifted.forced[0] == -1
    lifted = lift(byte_automaton(regex("f(c|b)")), small())
    assert lifted.forced[0] >= 0


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("most", [3, 4, 9])
def test_walks_end_in_time_in_accepted_texts(pattern: str, most: int) -> None:
    automaton, vocabulary = byte_automaton(regex(pattern)), small()
    lifted = lift(automaton, vocabulary)
    draw = random.Random(most)
    for _ in range(30):
        tokens = walk(lifted, draw, most)
        assert len(tokens) <= most
        assert automaton.accepts(b"".join(spelled(vocabulary, token) for token in tokens))


def test_bytes_that_are_spelled_twice_are_one_token() -> None:
    vocabulary = vocabulary_of(from_gguf(sentencepiece(("a", "b"))))
    lifted = lift(byte_automaton(regex("ab")), vocabulary)
    assert lifted.forced[0] == 259


def test_what_cannot_be_spelled_is_refused() -> None:
    with pytest.raises(BindError, match="no text"):
        lift(byte_automaton(regex("a^b")), small())


def test_lifted_automata_are_stored(cache_folder: Path) -> None:
    automaton, vocabulary = byte_automaton(regex("tr|x")), small()
    first = lift_once(automaton, vocabulary).automaton
    (path,) = (cache_folder / "automata").iterdir()
    assert_equal(lift_once(automaton, vocabulary).automaton, first)
    path.write_bytes(path.read_bytes()[:100])
    assert_equal(lift_once(automaton, vocabulary).automaton, first)
    assert len(path.read_bytes()) > 100
    lift_once(byte_automaton(regex("x|tr")), vocabulary)
    assert list((cache_folder / "automata").iterdir()) == [path]
    lift_once(byte_automaton(regex("x|t")), vocabulary)
    assert len(list((cache_folder / "automata").iterdir())) == 2


def test_a_folder_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path / "file"))
    assert lift_once(byte_automaton(regex("a")), small()).automaton.closing[0] == 1


def assert_equal(found: TokenAutomaton, expected: TokenAutomaton) -> None:
    for name in ("class_of_token", "ends", "next", "accepting", "closing", "forced"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.real_model
@pytest.mark.parametrize("pattern", ["true|false", r'\{"a":"[^"\\]{0,9}"\}', "(?s).{0,20}"])
def test_the_real_vocabulary(default_tokenizer: Tokenizer, pattern: str) -> None:
    vocabulary = vocabulary_of(default_tokenizer)
    automaton = byte_automaton(regex(pattern))
    lifted = lift(automaton, vocabulary)
    draw = random.Random(5)
    for _ in range(20):
        tokens = walk(lifted, draw, 16)
        assert automaton.accepts(default_tokenizer.decode(tokens))
