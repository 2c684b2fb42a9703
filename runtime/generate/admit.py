"""Giving waiting items to free lanes."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.kvcache.paged import PAGE
from sqlax.kvcache.pages import new_pages
from sqlax.runtime.constrain.token_automaton import START
from sqlax.runtime.generate.head import Heads, heads_of, with_leaders
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.state import GenerateState, Lanes, empty_lanes
from sqlax.runtime.generate.write import append_forced
from sqlax.runtime.prompt.state import Status
from sqlax.runtime.prompt.texts import TextTokens


def begin_run(operator: GenerateOperator, state: GenerateState) -> GenerateState:
    """The state before a list of work: no lane at work, all pages free."""
    return dataclasses.replace(
        state,
        lanes=empty_lanes(operator),
        pages=new_pages(operator.pages),
        waited=jnp.zeros((), jnp.int32),
        idle=jnp.zeros((), jnp.int32),
    )


class Waiting(NamedTuple):
    """The items that could begin now; int32.

    Attributes:
        items: how many.
        tokens: of their prompts.
    """

    items: Int[Array, ""]
    tokens: Int[Array, ""]


def could_begin(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState
) -> Waiting:
    """The next items of the work list for which there are lanes and pages, or never can be."""
    found = _candidates(operator, inputs, state)
    tokens = jnp.where(found.taken, _prompt(state, found.item), 0)
    return Waiting(jnp.sum(found.taken, dtype=jnp.int32), jnp.sum(tokens, dtype=jnp.int32))


def admit(
    operator: GenerateOperator, inputs: GenerateInputs, texts: TextTokens, state: GenerateState
) -> GenerateState:
    """Items in the order of the work list, while a lane is free and the pages they may need are.

    Pages are promised, not given: a lane takes one when it has tokens for it, and what all lanes
    together may need never exceeds the pool, so that no row is ever taken back. An item that needs
    more than the whole pool has no answer.
    """
    found = _candidates(operator, inputs, state)
    state = dataclasses.replace(
        state,
        status=state.status.at[jnp.where(found.taken & found.hopeless, found.item, _NONE)].set(
            jnp.int32(Status.NO_ROOM), mode="drop"
        ),
        cursor=state.cursor + jnp.sum(found.taken, dtype=jnp.int32),
        idle=jnp.zeros((), jnp.int32),
    )
    heads = heads_of(operator, inputs, texts, state, found.item)
    seated = _seat(state, found.item, found.taken & ~found.hopeless, heads)
    return append_forced(inputs, with_leaders(seated) if operator.head else seated)


_NONE = 1 << 30


class _Candidates(NamedTuple):
    """The next items of the work list.

    Attributes:
        item: their items.
        taken: those that leave the list: admitted or hopeless.
        hopeless: those whose pages the pool could never hold.
    """

    item: Int[Array, " lanes"]
    taken: Bool[Array, " lanes"]
    hopeless: Bool[Array, " lanes"]


def _candidates(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState
) -> _Candidates:
    lanes, count = state.lanes, operator.lanes
    padded = jnp.pad(state.order, (0, count))
    item = jax.lax.dynamic_slice(padded, (state.cursor,), (count,))
    waiting = state.cursor + jnp.arange(count, dtype=jnp.int32) < state.todo
    need = _most_pages(_prompt(state, item), inputs.max_tokens)
    hopeless = need > operator.pages - 1
    good = waiting & ~hopeless
    promised = jnp.where(lanes.active, _most_pages(lanes.prompt, inputs.max_tokens), 0)
    room = operator.pages - 1 - jnp.sum(promised, dtype=jnp.int32)
    free = jnp.sum(~lanes.active, dtype=jnp.int32)
    fits = (jnp.cumsum(good, dtype=jnp.int32) <= free) & (
        jnp.cumsum(jnp.where(good, need, 0), dtype=jnp.int32) <= room
    )
    blocked = jnp.cumsum(waiting & good & ~fits, dtype=jnp.int32) > 0
    return _Candidates(item, waiting & ~blocked, hopeless)


def _most_pages(prompt: Int[Array, " rows"], max_tokens: Int[Array, ""]) -> Int[Array, " rows"]:
    """Pages of a row when its text is as long as it may be; its last token needs none."""
    return (prompt + max_tokens - 1 + PAGE - 1) // PAGE


def _prompt(state: GenerateState, item: Int[Array, " rows"]) -> Int[Array, " rows"]:
    """Tokens of the items' prompts; one that has none is given an end token."""
    return jnp.maximum(state.length[item], 1)


def _seat(
    state: GenerateState,
    item: Int[Array, " lanes"],
    seated: Bool[Array, " lanes"],
    heads: Heads,
) -> GenerateState:
    """The seated items on the free lanes, in order; each begins a text."""
    lanes, texts = state.lanes, state.texts
    rank = jnp.cumsum(seated, dtype=jnp.int32) - 1
    empty_first = jnp.argsort(lanes.active, stable=True).astype(jnp.int32)
    lane = jnp.where(seated, empty_first[jnp.maximum(rank, 0)], _NONE)
    place = texts.count + rank
    begun = dataclasses.replace(
        texts,
        of_item=texts.of_item.at[jnp.where(seated, item, _NONE)].set(place, mode="drop"),
        count=texts.count + jnp.sum(seated, dtype=jnp.int32),
    )
    prompt = _prompt(state, item)
    return dataclasses.replace(
        state, texts=begun, lanes=_placed(lanes, lane, item, place, prompt, heads)
    )


def _placed(
    lanes: Lanes,
    lane: Int[Array, " lanes"],
    item: Int[Array, " lanes"],
    place: Int[Array, " lanes"],
    prompt: Int[Array, " lanes"],
    heads: Heads,
) -> Lanes:
    def put(old: Array, new: Array) -> Array:
        return old.at[lane].set(jnp.broadcast_to(new, lane.shape).astype(old.dtype), mode="drop")

    zero = jnp.zeros((), jnp.int32)
    return Lanes(
        item=put(lanes.item, item),
        place=put(lanes.place, place),
        prompt=put(lanes.prompt, prompt),
        made=put(lanes.made, zero),
        fed=put(lanes.fed, zero),
        state=put(lanes.state, jnp.int32(START)),
        table=lanes.table.at[lane].set(0, mode="drop"),
        key=put(lanes.key, zero),
        head=put(lanes.head, heads.tokens),
        head_code=put(lanes.head_code, heads.code),
        head_key=put(lanes.head_key, zero),
        leader=put(lanes.leader, zero - 1),
    )
