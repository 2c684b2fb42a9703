"""ROW_NUMBER, RANK and their kin: differences of places. O(n)."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from sqlax.runtime.operators.window.ordered import Ordered


def row_number(rows: Ordered) -> Int[Array, " places"]:
    """The number of each row in its partition, from 1."""
    return rows.place - rows.start + 1


def rank(rows: Ordered) -> Int[Array, " places"]:
    """The number of a row's first peer."""
    return rows.peer_start - rows.start + 1


def dense_rank(rows: Ordered) -> Int[Array, " places"]:
    """The number of a row's peers among all groups of peers."""
    groups = jnp.cumsum(rows.place == rows.peer_start, dtype=jnp.int64)
    return groups - groups[rows.start] + 1


def percent_rank(rows: Ordered) -> Float[Array, " places"]:
    """The part of the other rows that come before a row's peers; 0 for a single row."""
    others = jnp.maximum(rows.size - 1, 1).astype(jnp.float64)
    return (rank(rows) - 1).astype(jnp.float64) / others


def cume_dist(rows: Ordered) -> Float[Array, " places"]:
    """The part of the rows that come no later than a row's peers."""
    before = (rows.peer_end - rows.start + 1).astype(jnp.float64)
    return before / rows.size.astype(jnp.float64)


def tile_number(rows: Ordered, tiles: int) -> Int[Array, " places"]:
    """NTILE: partitions cut into `tiles` runs, the first ones a row longer where they must be."""
    used = jnp.minimum(rows.size, tiles)
    size = rows.size // used
    larger = rows.size - used * size
    index = row_number(rows) - 1
    edge = larger * (size + 1)
    behind = larger + (index - edge) // size
    return jnp.where(index < edge, index // (size + 1), behind) + 1


RANKS: dict[str, Callable[[Ordered], Array]] = {
    "row_number": row_number,
    "rank": rank,
    "dense_rank": dense_rank,
    "percent_rank": percent_rank,
    "cume_dist": cume_dist,
}
