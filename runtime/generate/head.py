"""The head of a prompt: what rows with the same first value begin with, read once for all of them.

A prompt with a second value is read in two steps, up to that value and from there on, whoever else
is at work: so its shapes depend on the row alone. Of the lanes with one head the first reads it;
the others wait for it, then hold its pages too. A page with several holders is copied before one of
them writes to it: where a head ends within a page.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.kvcache.paged import PAGE
from sqlax.kvcache.pages import own, share
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.state import GenerateState, Lanes
from sqlax.runtime.prompt.operator import HEAD_TOKENS
from sqlax.runtime.prompt.prepare import length_of
from sqlax.runtime.prompt.texts import TextTokens

_NONE = 1 << 30


class Heads(NamedTuple):
    """Heads of prompts; int32.

    Attributes:
        tokens: how long each is; 0 for none.
        code: the first value's text, which equal heads are known by; -1 for none.
    """

    tokens: Int[Array, " lanes"]
    code: Int[Array, " lanes"]


def heads_of(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    texts: TextTokens,
    state: GenerateState,
    item: Int[Array, " lanes"],
) -> Heads:
    """The heads of some items' prompts: none that is short, or behind which nothing comes."""
    if not operator.head:
        return Heads(jnp.zeros_like(item), jnp.full_like(item, -1))
    codes = state.item_code[item]
    tokens = length_of(operator.head, inputs, texts, codes)
    worth = (tokens >= HEAD_TOKENS) & (tokens < state.length[item])
    first = next(part.value for part in operator.head if part.constant is None)
    return Heads(jnp.where(worth, tokens, 0), jnp.where(worth, codes[:, first], -1))


def with_leaders(state: GenerateState) -> GenerateState:
    """The state in which each lane that has read nothing waits for the first one with its head.

    The first is one that has begun already, where there is any.
    """
    lanes = state.lanes
    number = jnp.arange(lanes.item.shape[0], dtype=jnp.int32)
    headed = lanes.active & (lanes.head > 0)
    new = headed & (lanes.fed == 0) & ~lanes.waits
    same = headed[None, :] & ~lanes.waits[None, :] & (lanes.head_code[:, None] == lanes.head_code)
    rank = jnp.where(lanes.fed > 0, 0, lanes.item.shape[0]) + number
    first = jnp.argmin(jnp.where(same, rank[None, :], _NONE), axis=1).astype(jnp.int32)
    leader = jnp.where(new & (first != number), first, lanes.leader)
    return dataclasses.replace(state, lanes=dataclasses.replace(lanes, leader=leader))


def shares(state: GenerateState) -> Bool[Array, ""]:
    """Whether a lane's head has been read for it, or one is about to write to a shared page."""
    written = state.pages.references[_written(state.lanes)]
    return jnp.any(_ready(state.lanes)) | jnp.any(written > 1)


def share_heads(
    state: GenerateState,
) -> tuple[GenerateState, tuple[Int[Array, " lanes"], Int[Array, " lanes"]]]:
    """The state with heads shared, and which pages must be copied to which: 0 to 0 for none."""
    state = _held_by_all(state)
    lanes, written = state.lanes, _written(state.lanes)
    pages, ids, source, _ = own(state.pages, written)
    lane = jnp.arange(lanes.item.shape[0], dtype=jnp.int32)
    column = jnp.where(written > 0, lanes.fed // PAGE, _NONE)
    table = lanes.table.at[lane, column].set(ids, mode="drop")
    state = dataclasses.replace(state, pages=pages, lanes=dataclasses.replace(lanes, table=table))
    return state, (source, jnp.where(source > 0, ids, 0))


def _ready(lanes: Lanes) -> Bool[Array, " lanes"]:
    """Lanes that wait for a head which their leader has read."""
    return lanes.waits & (lanes.fed[lanes.leader] >= lanes.head)


def _written(lanes: Lanes) -> Int[Array, " lanes"]:
    """The page that each lane will write to next; 0 where it has none yet."""
    lane = jnp.arange(lanes.item.shape[0], dtype=jnp.int32)
    page = lanes.table.at[lane, lanes.fed // PAGE].get(mode="clip")
    return jnp.where(lanes.active & ~lanes.waits & (lanes.fed % PAGE > 0), page, 0)


def _held_by_all(state: GenerateState) -> GenerateState:
    """The state in which lanes whose head is read hold its pages."""
    lanes, ready = state.lanes, _ready(state.lanes)
    leader = jnp.where(ready, lanes.leader, 0)
    column = jnp.arange(lanes.table.shape[1], dtype=jnp.int32)
    taken = ready[:, None] & (column[None, :] * PAGE < lanes.head[:, None])
    table = jnp.where(taken, lanes.table[leader], lanes.table)
    shared = dataclasses.replace(
        lanes,
        table=table,
        fed=jnp.where(ready, lanes.head, lanes.fed),
        key=jnp.where(ready, lanes.head_key[leader], lanes.key),
        head_key=jnp.where(ready, lanes.head_key[leader], lanes.head_key),
        leader=jnp.where(ready, -1, lanes.leader),
    )
    return dataclasses.replace(
        state,
        lanes=shared,
        pages=share(state.pages, jnp.where(taken, table, 0)),
        reused=state.reused + jnp.sum(jnp.where(ready, lanes.head, 0), dtype=jnp.int64),
    )
