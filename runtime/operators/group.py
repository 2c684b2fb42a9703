"""GROUP BY, DISTINCT and the aggregates: packed sort, boundary flags, segment sums.

Cost: one O(n log n) sort of the key codes, then O(n) per aggregate. Groups come out in key order
and fill the first slots of a relation of the input's capacity.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.order import SortKey, changes, order_code, sort_permutation
from sqlax.runtime.relation import Column, Relation


@dataclass(frozen=True)
class Groups:
    """The rows of a relation in group order.

    Attributes:
        permutation: row position at each sorted place.
        segment: group number at each sorted place.
        live: whether the row at each sorted place exists.
        first: row position of each group's first row.
        exists: whether a group slot is in use.
        capacity: number of group slots.
    """

    permutation: Int[Array, " rows"]
    segment: Int[Array, " rows"]
    live: Bool[Array, " rows"]
    first: Int[Array, " groups"]
    exists: Bool[Array, " groups"]
    capacity: int


def group_rows(mask: Bool[Array, " rows"], keys: tuple[Column, ...]) -> Groups:
    """Groups of equal keys, NULL equal to NULL; without keys one group, even of no rows."""
    capacity = mask.shape[0] if keys else 1
    permutation = sort_permutation(tuple(SortKey(key) for key in keys), mask)
    live = mask[permutation]
    starts = live & changes(keys, permutation)
    segment = jnp.maximum(jnp.cumsum(starts, dtype=jnp.int32) - 1, 0)
    count = jnp.sum(starts, dtype=jnp.int32)
    exists = jnp.arange(capacity) < (count if keys else 1)
    slot = jnp.where(starts, segment, capacity)
    first = jnp.zeros(capacity, jnp.int32).at[slot].set(permutation, mode="drop")
    return Groups(permutation, segment, live, first, exists, capacity)


def count(groups: Groups, counted: Bool[Array, " rows"]) -> Column:
    """COUNT: how many of a group's rows have `counted`; never NULL."""
    ones = (counted[groups.permutation] & groups.live).astype(jnp.int64)
    total = jax.ops.segment_sum(ones, groups.segment, groups.capacity)
    return Column(total, jnp.ones(groups.capacity, bool))


def total(groups: Groups, column: Column) -> Column:
    """SUM in the column's own dtype (int64 or float64); NULL for a group without values."""
    used = column.valid[groups.permutation] & groups.live
    values = jnp.where(used, column.data[groups.permutation], jnp.zeros((), column.data.dtype))
    summed = jax.ops.segment_sum(values, groups.segment, groups.capacity)
    return Column(summed, count(groups, column.valid).data > 0)


def mean(groups: Groups, column: Column) -> Column:
    """AVG as float64; NULL for a group without values."""
    summed = total(groups, Column(column.data.astype(jnp.float64), column.valid))
    number = count(groups, column.valid).data
    return Column(summed.data / jnp.maximum(number, 1).astype(jnp.float64), summed.valid)


def extreme(groups: Groups, column: Column, *, largest: bool) -> Column:
    """MIN or MAX by SQL order; NULL for a group without values."""
    used = column.valid[groups.permutation] & groups.live
    code = order_code(column.data)[groups.permutation]
    rank = jnp.where(used, jnp.bitwise_not(code) if largest else code, np.iinfo(np.int64).max)
    best = jax.ops.segment_min(rank, groups.segment, groups.capacity)
    hit = used & (rank == best[groups.segment])
    slot = jnp.where(hit, groups.segment, groups.capacity)
    row = jnp.zeros(groups.capacity, jnp.int32).at[slot].set(groups.permutation, mode="drop")
    return Column(column.data[row], count(groups, column.valid).data > 0)


def first(groups: Groups, column: Column) -> Column:
    """The value in each group's first row: a grouping key, or ANY_VALUE of equal values."""
    return Column(column.data[groups.first], column.valid[groups.first] & groups.exists)


def count_distinct(mask: Bool[Array, " rows"], keys: tuple[Column, ...], column: Column) -> Column:
    """COUNT(DISTINCT column) for each group of `keys`, in the order of `group_rows`."""
    groups = group_rows(mask, keys)
    pairs = group_rows(mask & column.valid, (*keys, column))
    owner = _group_of_row(groups)[pairs.first]
    ones = pairs.exists.astype(jnp.int64)
    return Column(
        jax.ops.segment_sum(ones, owner, groups.capacity), jnp.ones(groups.capacity, bool)
    )


def _group_of_row(groups: Groups) -> Int[Array, " rows"]:
    rows = groups.permutation.shape[0]
    return jnp.zeros(rows, jnp.int32).at[groups.permutation].set(groups.segment)


def distinct(relation: Relation) -> Relation:
    """DISTINCT over all columns; the first of equal rows stays, in its place."""
    groups = group_rows(relation.mask, tuple(relation.columns.values()))
    slot = jnp.where(groups.exists, groups.first, relation.capacity)
    keep = jnp.zeros(relation.capacity, bool).at[slot].set(True, mode="drop")
    return relation.where(keep)
