"""One turn of the decode loop: the values of kv_conformance.md, section 9, "decode loop"."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.kvcache.paged import PAGE
from sqlax.models.fake import FakeModel
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.generate.chunk import Crew, decode_rows, give_pages
from sqlax.runtime.generate.inputs import GenerateInputs, Sampling
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.state import GenerateState, initial_state
from sqlax.runtime.generate.write import next_tokens, stored
from sqlax.runtime.prompt.operator import Part
from sqlax.runtime.relation import Relation

END, VOCABULARY = 99, 100
PROMPTS = (11, 21)
BOTH = Crew(jnp.arange(2, dtype=jnp.int32), jnp.ones(2, bool), jnp.asarray(PROMPTS, jnp.int32))
OPERATOR = GenerateOperator(
    name="g",
    model=FakeModel({}),
    values=("x",),
    parts=(Part(None),),
    items=2,
    neutral=0,
    row_tokens=32,
    places=2,
    most_tokens=8,
    spare_tokens=0,
    lanes=2,
    pages=9,
    sampled=False,
    first_id=0,
)


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with jax.enable_x64(True):
        yield


def anything() -> TokenAutomaton:
    """Every text of tokens but the end token, which may end it anywhere."""
    token = jnp.arange(VOCABULARY, dtype=jnp.int32)
    return TokenAutomaton(
        class_of_token=(token != END).astype(jnp.int32),
        ends=token == END,
        next=jnp.asarray([[-1, 0]], jnp.int32),
        accepting=jnp.asarray([True]),
        closing=jnp.zeros(1, jnp.int32),
        forced=jnp.full(1, -1, jnp.int32),
    )


def given() -> GenerateInputs:
    none: Any = jnp.zeros(0, jnp.int32)
    zero = jnp.int32(0)
    greedy = Sampling(jnp.float32(0), zero, jnp.float32(1), jnp.float32(0), jnp.uint32(0))
    prompt = (none, zero, none, none, none, none, jnp.asarray(True), none, zero)
    return GenerateInputs(*prompt, jnp.int32(8), zero, anything(), greedy)


def read() -> GenerateState:
    """Two lanes whose prompts are in their pages."""
    state = initial_state(OPERATOR, Relation({}, jnp.ones(2, bool)), None, 1)
    number = jnp.arange(2, dtype=jnp.int32)
    lanes = dataclasses.replace(state.lanes, item=number, place=number, prompt=BOTH.run)
    state = give_pages(dataclasses.replace(state, lanes=lanes), BOTH, 32)
    lanes = dataclasses.replace(state.lanes, fed=BOTH.run)
    return dataclasses.replace(state, lanes=lanes)


def after(tokens: tuple[int, int]) -> GenerateState:
    """The state once the model wants a token in each lane."""
    logits = jax.nn.one_hot(jnp.asarray(tokens), VOCABULARY, dtype=jnp.float32)
    return next_tokens(OPERATOR, given(), read(), BOTH, logits)


def test_one_text_goes_on_and_one_ends() -> None:
    state = after((42, END))
    lanes = state.lanes
    assert lanes.active.tolist() == [True, False]
    rows = decode_rows(state, Crew(BOTH.lane, lanes.decodes, lanes.pending))
    ids = np.where(lanes.decodes, rows.tokens, -1)
    assert ids.tolist() == [42, -1]
    position = np.where(lanes.active, rows.before, lanes.fed - 1)
    assert position.tolist() == [11, 20]
    assert (lanes.prompt + lanes.made).tolist() == [12, 21]
    assert state.status.tolist() == [0, 1]


def test_the_pages_of_the_text_that_ended_are_free_at_once() -> None:
    before, now = read(), after((42, END))
    assert int(now.pages.free) - int(before.pages.free) == 2
    assert now.lanes.table[1].tolist() == [0] * OPERATOR.pages_per_row
    assert int(stored(now.lanes, OPERATOR.pages)) == 11


def test_tokens_in_a_page_with_two_holders_count_once() -> None:
    lanes = read().lanes
    assert int(stored(lanes, OPERATOR.pages)) == 11 + 21
    shared = dataclasses.replace(
        lanes,
        table=lanes.table.at[0, 0].set(lanes.table[1, 0]),
        fed=jnp.asarray([PAGE, 21], jnp.int32),
    )
    assert int(stored(shared, OPERATOR.pages)) == 21
