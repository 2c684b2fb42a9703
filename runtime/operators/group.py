"""GROUP BY and DISTINCT: which group each row belongs to.

Keys whose bounds make few bits number their groups directly, without a sort: O(n). Others are
sorted, packed, and numbered by the places where a key changes: O(n log n). Either way groups come
out in key order, NULL last, and group numbers stand beside the rows, so that an aggregate is one
segment sum or minimum in row order, O(n).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.operators.order import SortKey, changes, key_bits, key_word, sort_permutation
from sqlax.runtime.relation import BITS, Column, Relation

_DENSE_BITS = 26
"""Most bits of keys that number groups directly: their states stay below half a gigabyte."""


@dataclass(frozen=True)
class Groups:
    """The groups of a relation's rows.

    Attributes:
        of_row: group number of each row; past the last slot for rows that do not exist.
        first: row position of each group's first row.
        exists: whether a group slot is in use.
        needed: number of slots that all groups would need, int64.
    """

    of_row: Int[Array, " rows"]
    first: Int[Array, " groups"]
    exists: Bool[Array, " groups"]
    needed: Int[Array, ""]

    @property
    def capacity(self) -> int:
        """The static number of group slots."""
        return self.exists.shape[0]

    @property
    def key(self) -> Column:
        """The group number as a column with bounds."""
        bits = next(bits for bits in BITS if self.capacity <= 1 << bits)
        valid = jnp.ones(self.of_row.shape, bool)
        return Column(self.slot_of_row, valid, jnp.zeros((), jnp.int64), bits)

    def sum(self, values: Shaped[Array, " rows"]) -> Shaped[Array, " groups"]:
        """The sum of each group's values; rows that do not count must hold 0."""
        if self.capacity == 1:
            return jnp.sum(values, keepdims=True)
        return jax.ops.segment_sum(values, self.of_row, self.capacity)

    def least(self, values: Int[Array, " rows"]) -> Int[Array, " groups"]:
        """The least of each group's integers; rows that do not count must hold the greatest."""
        if self.capacity == 1:
            return jnp.min(values, keepdims=True)
        return jax.ops.segment_min(values, self.of_row, self.capacity)

    @property
    def slot_of_row(self) -> Int[Array, " rows"]:
        """The group number of each row; some slot for rows that do not exist."""
        return jnp.minimum(self.of_row, self.capacity - 1)

    def spread(self, values: Shaped[Array, " groups"]) -> Shaped[Array, " rows"]:
        """Each row's value of its group."""
        return values[self.slot_of_row]


def group_rows(
    mask: Bool[Array, " rows"], keys: tuple[Column, ...], slots: int | None = None
) -> Groups:
    """Groups of equal keys, NULL equal to NULL; without keys one group, even of no rows.

    Args:
        mask: rows that exist.
        keys: the grouping columns.
        slots: group slots, if not as many as rows; groups beyond them are lost, `needed` tells.
    """
    if not keys:
        return _single(mask)
    if is_direct(keys, mask.shape[0]):
        return _dense(mask, keys, 1 << sum(key_bits(key) for key in keys))
    return sorted_groups(mask, keys, slots or mask.shape[0])


def is_direct(keys: tuple[Column, ...], rows: int) -> bool:
    """Whether `group_rows` numbers the groups of so many rows without a sort."""
    bits = sum(key_bits(key) for key in keys)
    return bits <= _DENSE_BITS and 1 << bits <= rows


def _single(mask: Bool[Array, " rows"]) -> Groups:
    rows = jnp.where(mask, 0, 1).astype(jnp.int32)
    first = jnp.argmax(mask, keepdims=True).astype(jnp.int32)
    return Groups(rows, first, jnp.ones(1, bool), jnp.ones((), jnp.int64))


def direct_groups(
    mask: Bool[Array, " rows"], keys: tuple[Column, ...], most_bits: int
) -> Groups | None:
    """Groups numbered by the codes of their keys; None where those have more bits than given."""
    bits = sum(key_bits(key) for key in keys)
    if bits > most_bits:
        return None
    return _dense(mask, keys, 1 << bits) if keys else _single(mask)


def direct_keys(keys: tuple[Column, ...]) -> tuple[Column, ...]:
    """The keys of every slot of `direct_groups`, made from the slot's number.

    Of `keys` only dtypes and bounds are read.
    """
    left = jnp.arange(1 << sum(key_bits(key) for key in keys), dtype=jnp.int64)
    found: list[Column] = []
    for key in reversed(keys):
        bits = key_bits(key) - 1
        offset, is_null = left & ((1 << bits) - 1), (left >> bits) & 1
        low = 0 if key.low is None else key.low
        data = (offset + low).astype(key.data.dtype)
        found.append(Column(data, is_null == 0, key.low, key.bits))
        left = left >> (bits + 1)
    return tuple(reversed(found))


def _dense(mask: Bool[Array, " rows"], keys: tuple[Column, ...], slots: int) -> Groups:
    word = key_word(tuple(SortKey(key) for key in keys)).astype(jnp.int32)
    number = jnp.where(mask, word, slots)
    rows = jnp.arange(mask.shape[0], dtype=jnp.int32)
    first = jax.ops.segment_min(rows, number, slots)
    exists = first < mask.shape[0]
    return Groups(number, jnp.where(exists, first, 0), exists, jnp.asarray(slots, jnp.int64))


def sorted_groups(mask: Bool[Array, " rows"], keys: tuple[Column, ...], slots: int) -> Groups:
    """Groups by sorting, numbered without gaps in key order; see `group_rows`."""
    permutation = sort_permutation(tuple(SortKey(key) for key in keys), mask)
    starts = mask[permutation] & changes(keys, permutation)
    segment = jnp.maximum(jnp.cumsum(starts, dtype=jnp.int32) - 1, 0)
    needed = jnp.sum(starts, dtype=jnp.int64)
    slot = jnp.where(starts, segment, slots)
    first = jnp.zeros(slots, jnp.int32).at[slot].set(permutation, mode="drop")
    of_row = jnp.zeros(mask.shape[0], jnp.int32).at[permutation].set(segment, unique_indices=True)
    return Groups(jnp.where(mask, of_row, slots), first, jnp.arange(slots) < needed, needed)


def first_of_group(groups: Groups, column: Column) -> Column:
    """The value in each group's first row: a grouping key."""
    return column.take(groups.first).only(groups.exists)


def first_of_equal(
    groups: Groups, used: Bool[Array, " rows"], columns: tuple[Column, ...]
) -> Bool[Array, " rows"]:
    """The first of the used rows with equal values in a group: what DISTINCT leaves."""
    keys = columns if groups.capacity == 1 else (groups.key, *columns)
    pairs = group_rows(used, keys)
    slot = jnp.where(pairs.exists, pairs.first, used.shape[0])
    return jnp.zeros(used.shape, bool).at[slot].set(True, mode="drop")


def distinct(relation: Relation, ranks: Mapping[str, Column] | None = None) -> Relation:
    """DISTINCT over all columns; the first of equal rows stays, in its place.

    Args:
        relation: the rows.
        ranks: what tells the values of some columns apart in the place of their numbers.
    """
    one = group_rows(relation.mask, ())
    keys = tuple({**relation.columns, **(ranks or {})}.values())
    return relation.where(first_of_equal(one, relation.mask, keys))
