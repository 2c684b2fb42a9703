"""ROW_NUMBER, RANK and DENSE_RANK: one sort by partition and order keys, then running counts."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.order import SortKey, changes, sort_permutation
from sqlax.runtime.relation import Column


def rank_rows(
    function: str,
    mask: Bool[Array, " rows"],
    partition: tuple[Column, ...],
    order: tuple[SortKey, ...],
) -> Column:
    """The rank of each row inside its partition, int64 from 1. Cost: one O(n log n) sort.

    Args:
        function: "row_number", "rank" or "dense_rank".
        mask: rows that exist.
        partition: columns of PARTITION BY.
        order: keys of ORDER BY; ties of row_number go by row order.
    """
    permutation = sort_permutation((*(SortKey(key) for key in partition), *order), mask)
    new_partition = changes(partition, permutation)
    new_peer = new_partition | changes(tuple(key.column for key in order), permutation)
    place = jnp.arange(mask.shape[0], dtype=jnp.int64)
    start = lax.cummax(jnp.where(new_partition, place, 0))
    ranks = {
        "row_number": place - start,
        "rank": lax.cummax(jnp.where(new_peer, place, 0)) - start,
        "dense_rank": _steps(new_peer, start),
    }
    data = jnp.zeros(mask.shape[0], jnp.int64).at[permutation].set(ranks[function] + 1)
    return Column(data, jnp.ones(mask.shape[0], bool))


def _steps(new_peer: Bool[Array, " rows"], start: Int[Array, " rows"]) -> Int[Array, " rows"]:
    steps = jnp.cumsum(new_peer, dtype=jnp.int64)
    return steps - steps[start]
