"""Which rows of two sides have equal keys: each row gets an id, equal where all keys are equal.

Keys of few bits on the build side are the id themselves, O(n + m). Others are numbered by grouping
both sides together: one packed sort, O((n + m) log(n + m)).
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.operators.group import sorted_groups
from sqlax.runtime.operators.order import Code, SortKey, one_word, sort_codes, value_code
from sqlax.runtime.relation import Column, Relation

_TABLE_BITS = 24
_SPARSEST = 16
"""A table of ids may have this many slots a row."""


@dataclass(frozen=True)
class Key:
    """A column of each side; `null_safe` takes NULL as equal to NULL."""

    left: Column
    right: Column
    null_safe: bool = False

    def exchanged(self) -> Key:
        """The key of the join with its sides exchanged."""
        return Key(self.right, self.left, self.null_safe)


@dataclass(frozen=True)
class Ids:
    """Ids below `size` for the rows that can match, `size` itself for others."""

    left: Int[Array, " left"]
    right: Int[Array, " right"]
    size: int

    def right_sum(self, values: Shaped[Array, " right"]) -> Shaped[Array, " left"]:
        """For each left row the sum of the values of the right rows with its id."""
        table = jax.ops.segment_sum(values, self.right, self.size)
        return self.of_left(table)

    def of_left(self, table: Shaped[Array, " ids"]) -> Shaped[Array, " left"]:
        """Each left row's entry of a table by id; 0 where nothing can match."""
        found = table[jnp.minimum(self.left, self.size - 1)]
        return jnp.where(self.left < self.size, found, jnp.zeros((), table.dtype))

    def counts(self) -> Int[Array, " left"]:
        """Number of matching right rows of each left row, int32."""
        return self.right_sum((self.right < self.size).astype(jnp.int32))


def shared_ids(left: Relation, right: Relation, keys: tuple[Key, ...]) -> Ids:
    """The ids of both sides' rows. Without keys every row has the same id."""
    aligned = [_aligned(key) for key in keys]
    codes = _direct_codes([key for key, _ in aligned])
    left_usable, right_usable = left.mask, right.mask
    for key, inside in aligned:
        left_usable = left_usable & inside & (key.left.valid | key.null_safe)
        right_usable = right_usable & (key.right.valid | key.null_safe)
    if codes is None or _is_sparse(codes[0], left.capacity + right.capacity):
        return _grouped(left_usable, right_usable, tuple(key for key, _ in aligned))
    size = 1 << sum(code.bits for code in codes[0])
    words = [one_word(side).astype(jnp.int32) if keys else 0 for side in codes]
    return Ids(
        jnp.where(left_usable, words[0], size).astype(jnp.int32),
        jnp.where(right_usable, words[1], size).astype(jnp.int32),
        size,
    )


def _aligned(key: Key) -> tuple[Key, Bool[Array, " left"]]:
    """The key with the right side's bounds on both sides, and which left rows lie inside them."""
    low, bits = key.right.low, key.right.bits
    outside = jnp.zeros(key.left.valid.shape, bool)
    if low is None or bits is None or jnp.issubdtype(key.left.data.dtype, jnp.floating):
        bare = Key(_bare(key.left), _bare(key.right), key.null_safe)
        return bare, ~outside
    offset = key.left.data.astype(jnp.int64) - low
    outside = key.left.valid & ((offset < 0) | (offset >= 1 << bits))
    left = Column(key.left.data, key.left.valid & ~outside, low, bits)
    return Key(left, key.right, key.null_safe), ~outside


def _bare(column: Column) -> Column:
    return dataclasses.replace(column, low=None, bits=None)


def _direct_codes(keys: list[Key]) -> tuple[list[Code], list[Code]] | None:
    """The codes of the keys for both sides; None where one has no bounds."""
    if any(key.right.bits is None for key in keys):
        return None
    return (
        [code for key in keys for code in _codes(key.left, key.null_safe)],
        [code for key in keys for code in _codes(key.right, key.null_safe)],
    )


def _codes(column: Column, null_safe: bool) -> tuple[Code, ...]:
    return sort_codes(SortKey(column)) if null_safe else (value_code(column),)


def _is_sparse(codes: list[Code], rows: int) -> bool:
    bits = sum(code.bits for code in codes)
    return bits > _TABLE_BITS or 1 << bits > _SPARSEST * rows


def _grouped(
    left: Bool[Array, " left"], right: Bool[Array, " right"], keys: tuple[Key, ...]
) -> Ids:
    usable = jnp.concatenate([left, right])
    size, split = usable.shape[0], left.shape[0]
    groups = sorted_groups(usable, tuple(_stacked(key) for key in keys), size)
    return Ids(groups.of_row[:split], groups.of_row[split:], size)


def _stacked(key: Key) -> Column:
    dtype = jnp.promote_types(key.left.data.dtype, key.right.data.dtype)
    data = jnp.concatenate([key.left.data.astype(dtype), key.right.data.astype(dtype)])
    valid = jnp.concatenate([key.left.valid, key.right.valid])
    return Column(data, valid, key.right.low, key.right.bits)
