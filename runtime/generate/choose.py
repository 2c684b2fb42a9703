"""What the loop does next: admit, share, run a chunk of some shape, decode in some width, end."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.generate.admit import admits
from sqlax.runtime.generate.head import shares
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import GenerateOperator, tile_of
from sqlax.runtime.generate.state import GenerateState, Lanes

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
    runs = jnp.sum(lanes.reads, dtype=jnp.int32)
    decoding = jnp.sum(lanes.decodes, dtype=jnp.int32)
    chunk = (runs > 0) & _is_due(operator, state, runs, decoding)
    turn = jnp.where(decoding > 0, jnp.int32(Turn.DECODE), jnp.int32(Turn.OVER))
    turn = jnp.where(chunk, jnp.int32(Turn.CHUNK), turn)
    if operator.head:
        turn = jnp.where(shares(state), jnp.int32(Turn.SHARE), turn)
    admitting = _admitting(operator, inputs, state)
    turn = jnp.where(admitting, jnp.int32(Turn.ADMIT), turn)
    shape = jnp.where(chunk, _tile(operator, lanes), _width(operator, decoding))
    return Next(turn, shape)


def _admitting(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState
) -> Bool[Array, ""]:
    """Items wait, and enough lanes are free that their prompts fill a tile."""
    waiting, active = state.todo - state.cursor, jnp.sum(state.lanes.active, dtype=jnp.int32)
    free = operator.lanes - active
    enough = jnp.minimum(waiting, _tile_rows(operator))
    due = (waiting > 0) & ((free >= enough) | (active == 0))
    return due & admits(operator, inputs, state)


def _is_due(
    operator: GenerateOperator,
    state: GenerateState,
    runs: Int[Array, ""],
    decoding: Int[Array, ""],
) -> Bool[Array, ""]:
    """A tile is full, or nobody comes to share it: the last prompts need not wait for others."""
    lanes = state.lanes
    reading = lanes.reads & (lanes.fed < lanes.prompt)
    alone = jnp.any(reading) & (state.cursor >= state.todo)
    fills = runs >= _tile_rows(operator)
    return fills | alone | (decoding == 0) | (state.waited >= PATIENCE)


def _tile_rows(operator: GenerateOperator) -> int:
    """Rows that make a chunk worth its tile: an eighth of the lanes, or what the tile holds."""
    return max(1, min(operator.chunks[0].rows // 2, operator.lanes // 8))


def _tile(operator: GenerateOperator, lanes: Lanes) -> Int[Array, ""]:
    """The shortest shape that some lane waits for."""
    tiles = tile_of(operator, lanes.run)
    return jnp.min(jnp.where(lanes.reads, tiles, len(operator.chunks) - 1)).astype(jnp.int32)


def _width(operator: GenerateOperator, decoding: Int[Array, ""]) -> Int[Array, ""]:
    widths = jnp.asarray(operator.widths, jnp.int32)
    return jnp.sum(decoding > widths, dtype=jnp.int32)
