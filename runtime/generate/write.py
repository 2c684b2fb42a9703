"""After a run of the model: the next token of each text, the end of some, their pages back."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.kvcache.paged import PAGE
from sqlax.kvcache.pages import release
from sqlax.runtime.constrain.masks import advance, allowed, forced
from sqlax.runtime.generate.chunk import Crew
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.sample import drawn, likeliest
from sqlax.runtime.generate.state import GenerateState, Lanes
from sqlax.runtime.generate.stop import without_stops
from sqlax.runtime.prompt.state import Status

_NONE = 1 << 30


def fed(state: GenerateState, crew: Crew) -> GenerateState:
    """The state once the pages hold the crew's tokens."""
    lane = jnp.where(crew.used, crew.lane, _NONE)
    pages, work = state.pages, state.work
    longer = state.lanes.fed.at[lane].add(crew.run, mode="drop")
    lanes = dataclasses.replace(state.lanes, fed=longer)
    count = pages.queue.shape[0]
    held = (count - 1 - pages.free).astype(jnp.int64)
    work = dataclasses.replace(
        work,
        most_pages=jnp.maximum(work.most_pages, held),
        most_unused=jnp.maximum(work.most_unused, held * PAGE - stored(lanes, count)),
    )
    return dataclasses.replace(
        state,
        lanes=lanes,
        work=work,
        tokens=state.tokens + jnp.sum(crew.run, dtype=jnp.int64),
    )


def stored(lanes: Lanes, pages: int) -> Int[Array, ""]:
    """Tokens in all pages, those of a page with several holders once; int64. Page 0 has none."""
    first = jnp.arange(lanes.table.shape[1], dtype=jnp.int32) * PAGE
    inside = jnp.clip(lanes.fed[:, None] - first, 0, PAGE)
    filled = jnp.zeros(pages, jnp.int32).at[lanes.table].max(inside, mode="drop")
    return jnp.sum(filled[1:], dtype=jnp.int64)


def next_tokens(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    state: GenerateState,
    crew: Crew,
    logits: Float[Array, "rows vocabulary"],
) -> GenerateState:
    """The state with one more token of each lane that has none pending, and all that it forces.

    A text ends with an end token, which is no part of it, with its last allowed token, or where
    its automaton can only end, as behind a stop string. Its lane is free then, and its pages.
    """
    lanes = state.lanes
    writing = crew.used & (lanes.pending[crew.lane] == 0)
    token = _chosen(operator, inputs, state, crew, logits)
    broken = writing & jnp.isnan(jnp.sum(logits, axis=1))  # a pass; to compare each takes two
    ending = writing & (inputs.automaton.ends[token] | broken)
    state = _append(inputs, state, crew.lane, writing & ~ending, token)
    state = append_forced(inputs, state)
    over = jnp.zeros(operator.lanes, bool).at[crew.lane].max(ending)
    failed = jnp.zeros(operator.lanes, bool).at[crew.lane].max(broken)
    return _retire(inputs, state, over, failed)


def _chosen(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    state: GenerateState,
    crew: Crew,
    logits: Float[Array, "rows vocabulary"],
) -> Int[Array, " rows"]:
    lanes, automaton = state.lanes, inputs.automaton
    at, made = lanes.state[crew.lane], lanes.made[crew.lane]
    remaining, early = inputs.max_tokens - made, made < inputs.min_tokens
    if not operator.sampled:
        return likeliest(logits, automaton, at, remaining, early)
    mask = allowed(automaton, at, remaining, early)
    return drawn(logits, mask, inputs.sampling, lanes.key[crew.lane], made)


def _append(
    inputs: GenerateInputs,
    state: GenerateState,
    lane: Int[Array, " rows"],
    writing: Bool[Array, " rows"],
    token: Int[Array, " rows"],
) -> GenerateState:
    """The texts of some lanes with one more token."""
    lanes, texts = state.lanes, state.texts
    place = jnp.where(writing, lanes.place[lane], _NONE)
    target = jnp.where(writing, lane, _NONE)
    tokens = texts.tokens.at[place, lanes.made[lane]].set(token, mode="drop")
    after = advance(inputs.automaton, lanes.state[lane], token)
    return dataclasses.replace(
        state,
        texts=dataclasses.replace(texts, tokens=tokens),
        lanes=dataclasses.replace(
            lanes,
            made=lanes.made.at[target].add(1, mode="drop"),
            state=lanes.state.at[target].set(after, mode="drop"),
        ),
    )


def append_forced(inputs: GenerateInputs, state: GenerateState) -> GenerateState:
    """Tokens that the automaton leaves no choice about, without asking the model."""
    every = jnp.arange(state.lanes.item.shape[0], dtype=jnp.int32)

    def wanting(state: GenerateState) -> Bool[Array, " lanes"]:
        lanes = state.lanes
        open_ = lanes.active & (lanes.made < inputs.max_tokens)
        return open_ & (forced(inputs.automaton, lanes.state) >= 0)

    def step(state: GenerateState) -> GenerateState:
        token = forced(inputs.automaton, state.lanes.state)
        return _append(inputs, state, every, wanting(state), jnp.maximum(token, 0))

    done: GenerateState = jax.lax.while_loop(lambda s: jnp.any(wanting(s)), step, state)
    return done


def _retire(
    inputs: GenerateInputs,
    state: GenerateState,
    over: Bool[Array, " lanes"],
    failed: Bool[Array, " lanes"],
) -> GenerateState:
    """Lanes whose text is over are empty; their pages are free, their items answered."""
    closed = _can_only_end(inputs, state.lanes.state) | (state.lanes.made >= inputs.max_tokens)
    over = state.lanes.active & (over | (closed & (state.lanes.made > 0)))
    if inputs.stop is not None:
        state = without_stops(inputs.stop, state, over)
    lanes, texts = state.lanes, state.texts
    item = jnp.where(over, lanes.item, _NONE)
    status = jnp.where(failed, jnp.int32(Status.NO_ANSWER), jnp.int32(Status.DONE))
    place = jnp.where(over, lanes.place, _NONE)
    return dataclasses.replace(
        state,
        status=state.status.at[item].set(status, mode="drop"),
        texts=dataclasses.replace(
            texts, length=texts.length.at[place].set(lanes.made, mode="drop")
        ),
        pages=release(state.pages, jnp.where(over[:, None], lanes.table, 0)),
        lanes=dataclasses.replace(
            lanes,
            item=jnp.where(over, -1, lanes.item),
            table=jnp.where(over[:, None], 0, lanes.table),
        ),
        reused=state.reused + inputs.prefix_length * jnp.sum(over, dtype=jnp.int64),
    )


def _can_only_end(inputs: GenerateInputs, state: Int[Array, " lanes"]) -> Bool[Array, " lanes"]:
    """Accepting states without a way on: the model need not be asked for an end token."""
    stuck = jnp.all(inputs.automaton.next < 0, axis=1)
    return (stuck & inputs.automaton.accepting)[state]
