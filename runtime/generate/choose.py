"""What the loop does next: admit, share, run a chunk of some shape, decode in some width, end."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.generate.admit import could_begin
from sqlax.runtime.generate.head import shares
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator, tile_of
from sqlax.runtime.generate.state import GenerateState, Lanes
from sqlax.runtime.prompt.operator import Tile

PATIENCE = 4
"""Decode steps that a few lanes wait for others to share a chunk's tile with."""


class Turn(IntEnum):
    """What can be next; a chunk or a decode step is told apart by its shape's number too."""

    OVER = 0
    ADMIT = 1
    SHARE = 2
    CHUNK = 3
    DECODE = 4


class Next(NamedTuple):
    """What is next: a `Turn`, and the number of the tile or of the width; int32."""

    turn: Int[Array, ""]
    shape: Int[Array, ""]


def what_next(operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState) -> Next:
    """Admission first, then sharing heads, then chunks that are due, then decoding."""
    lanes = state.lanes
    decoding = jnp.sum(lanes.decodes, dtype=jnp.int32)
    tile = _next_tile(operator, lanes)
    chunk = jnp.any(lanes.reads) & (tile.is_full | _is_due(state, decoding))
    turn = jnp.where(decoding > 0, jnp.int32(Turn.DECODE), jnp.int32(Turn.OVER))
    turn = jnp.where(chunk, jnp.int32(Turn.CHUNK), turn)
    if operator.head:
        turn = jnp.where(shares(state), jnp.int32(Turn.SHARE), turn)
    admitting = _admitting(operator, inputs, state)
    turn = jnp.where(admitting, jnp.int32(Turn.ADMIT), turn)
    shape = jnp.where(chunk, tile.number, _width(operator, decoding))
    return Next(turn, shape)


def _admitting(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState
) -> Bool[Array, ""]:
    """Items that can begin would fill a tile or are the last, or lanes were empty for too long.

    For too long: they could have done as much as all lanes at work do in a step, which is about
    what a tile takes that is read for a few prompts.
    """
    able, active = could_begin(operator, inputs, state), state.lanes.active
    fill = able.tokens >= _worth(operator.chunks[0])
    last = able.items == state.todo - state.cursor
    idle = state.idle >= jnp.sum(active, dtype=jnp.int32)
    return (able.items > 0) & (fill | last | idle)


def _worth(tile: Tile) -> int:
    """Tokens that make a tile worth its time."""
    return tile.tokens * 3 // 4


def _is_due(state: GenerateState, decoding: Int[Array, ""]) -> Bool[Array, ""]:
    """Nobody comes to share the tile: the last prompts need not wait for others."""
    lanes = state.lanes
    reading = lanes.reads & (lanes.fed < lanes.prompt)
    alone = jnp.any(reading) & (state.cursor >= state.todo)
    return alone | (decoding == 0) | (state.waited >= PATIENCE)


class _NextTile(NamedTuple):
    """The chunk that lanes wait for: the number of its shape, and whether they fill it."""

    number: Int[Array, ""]
    is_full: Bool[Array, ""]


def _next_tile(operator: GenerateOperator, lanes: Lanes) -> _NextTile:
    """The shortest shape that lanes fill; if there is none, the shortest that one waits for."""
    number = jnp.arange(len(operator.chunks), dtype=jnp.int32)
    asks = lanes.reads[:, None] & (tile_of(operator, lanes.run)[:, None] == number)
    tokens = jnp.sum(jnp.where(asks, lanes.run[:, None], 0), axis=0, dtype=jnp.int32)
    worth = jnp.asarray([_worth(tile) for tile in operator.chunks], jnp.int32)
    full = tokens >= worth
    first = jnp.argmax(jnp.where(jnp.any(full), full, tokens > 0)).astype(jnp.int32)
    return _NextTile(first, jnp.any(full))


def _width(operator: GenerateOperator, decoding: Int[Array, ""]) -> Int[Array, ""]:
    widths = jnp.asarray(operator.widths, jnp.int32)
    return jnp.sum(decoding > widths, dtype=jnp.int32)
