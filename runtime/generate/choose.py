"""What the loop does next: admit, share, run a chunk, decode in some width, end."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.generate.admit import could_begin
from sqlax.runtime.generate.head import shares
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import CHUNK, GenerateOperator
from sqlax.runtime.generate.state import GenerateState, Lanes

PATIENCE = 4
"""Decode steps that a few lanes wait for others to share a chunk with."""
WORTH = CHUNK.tokens * 3 // 4
"""Tokens that make a chunk worth its time."""


class Turn(IntEnum):
    """What can be next; decode steps are told apart by their width's number too."""

    OVER = 0
    ADMIT = 1
    SHARE = 2
    CHUNK = 3
    DECODE = 4


class Next(NamedTuple):
    """What is next: a `Turn`, and the number of a decode step's width; int32."""

    turn: Int[Array, ""]
    width: Int[Array, ""]


def what_next(operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState) -> Next:
    """Admission first, then sharing heads, then chunks that are due, then decoding."""
    lanes = state.lanes
    decoding = jnp.sum(lanes.decodes, dtype=jnp.int32)
    chunk = jnp.any(lanes.reads) & (_fills_chunk(lanes) | _is_due(state, decoding))
    turn = jnp.where(decoding > 0, jnp.int32(Turn.DECODE), jnp.int32(Turn.OVER))
    turn = jnp.where(chunk, jnp.int32(Turn.CHUNK), turn)
    if operator.head:
        turn = jnp.where(shares(state), jnp.int32(Turn.SHARE), turn)
    admitting = _admitting(operator, inputs, state)
    turn = jnp.where(admitting, jnp.int32(Turn.ADMIT), turn)
    return Next(turn, _width(operator, decoding))


def _admitting(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState
) -> Bool[Array, ""]:
    """Items that can begin would fill a chunk or are the last, or lanes were empty for too long.

    For too long: they could have done as much as all lanes at work do in a step, which is about
    what a chunk takes that is read for a few prompts.
    """
    able, active = could_begin(operator, inputs, state), state.lanes.active
    fill = able.tokens >= WORTH
    last = able.items == state.todo - state.cursor
    idle = state.idle >= jnp.sum(active, dtype=jnp.int32)
    return (able.items > 0) & (fill | last | idle)


def _is_due(state: GenerateState, decoding: Int[Array, ""]) -> Bool[Array, ""]:
    """Nobody comes to share the chunk: the last prompts need not wait for others."""
    lanes = state.lanes
    reading = lanes.reads & (lanes.fed < lanes.prompt)
    alone = jnp.any(reading) & (state.cursor >= state.todo)
    return alone | (decoding == 0) | (state.waited >= PATIENCE)


def _fills_chunk(lanes: Lanes) -> Bool[Array, ""]:
    first = lanes.reads & (jnp.cumsum(lanes.reads, dtype=jnp.int32) <= CHUNK.rows)
    waiting = jnp.where(first, lanes.run, 0)
    return jnp.sum(waiting, dtype=jnp.int32) >= WORTH


def _width(operator: GenerateOperator, decoding: Int[Array, ""]) -> Int[Array, ""]:
    widths = jnp.asarray(operator.widths, jnp.int32)
    return jnp.sum(decoding > widths, dtype=jnp.int32)
