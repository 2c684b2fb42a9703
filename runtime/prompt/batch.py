"""Laying rows one after another in a flat run of tokens."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.prompt.operator import Tile
from sqlax.runtime.prompt.state import PromptState


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Batch:
    """The slots of one tile, in the order of its rows; those without `used` are empty."""

    slot: Int[Array, " rows"]
    used: Bool[Array, " rows"]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Run:
    """Rows of some lengths in one flat run of tokens, padded at its end.

    Attributes:
        row: the row of each flat token; `rows` (one too many) for padding.
        inside: the same, within the rows.
        start: the first flat token of each row.
        offset: the place of each flat token in its row.
    """

    row: Int[Array, " tokens"]
    inside: Int[Array, " tokens"]
    start: Int[Array, " rows"]
    offset: Int[Array, " tokens"]


def next_batch(state: PromptState, number: int, tile: Tile, nodes: int) -> Batch:
    """The next slots that share tile shape `number` and fit into the tile's tokens."""
    slot = jax.lax.dynamic_slice(state.order, (state.cursor,), (tile.rows,))
    waiting = state.cursor + jnp.arange(tile.rows, dtype=jnp.int32) < state.todo
    ready = waiting & (state.bucket[slot] == number)
    end = jnp.cumsum(jnp.where(ready, state.length[slot] + nodes, 0), dtype=jnp.int32)
    return Batch(slot, ready & (end <= tile.tokens))


def lay_end_to_end(length: Int[Array, " rows"], tokens: int) -> Run:
    """Rows of `length` tokens each, one after another in a run of `tokens`."""
    row_end = jnp.cumsum(length, dtype=jnp.int32)
    place = jnp.arange(tokens, dtype=jnp.int32)
    row = jnp.sum(place[:, None] >= row_end[None, :], axis=1, dtype=jnp.int32)
    inside = jnp.minimum(row, length.shape[0] - 1)
    start = row_end - length
    return Run(row, inside, start, place - start[inside])
