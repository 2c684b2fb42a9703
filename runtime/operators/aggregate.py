"""Sums, means and extremes over groups: one segment sum or minimum each, O(n)."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int

from sqlax.runtime.operators.group import Groups
from sqlax.runtime.operators.order import order_code
from sqlax.runtime.relation import Column

_MOST = np.iinfo(np.int64).max
_INT64_EDGE = float(1 << 63)


def count(groups: Groups, counted: Bool[Array, " rows"]) -> Column:
    """COUNT: how many of a group's rows have `counted`; never NULL."""
    total = groups.sum(counted.astype(jnp.int64))
    return Column(total, jnp.ones(groups.capacity, bool))


def total(groups: Groups, column: Column) -> tuple[Column, Bool[Array, " groups"]]:
    """SUM in the column's own dtype (int64 or float64) and where it left int64.

    NULL for a group without values. Whether any sum can leave int64 is decided by the greatest
    value; only then the sums are made in float64 too.
    """
    values = jnp.where(column.valid, column.data, jnp.zeros((), column.data.dtype))
    summed = groups.sum(values)
    made = Column(summed, _any(groups, column.valid))
    if jnp.issubdtype(values.dtype, jnp.floating):
        return made, jnp.zeros(groups.capacity, bool)
    return made, _leaves_int64(groups, values, summed)


def _any(groups: Groups, valid: Bool[Array, " rows"]) -> Bool[Array, " groups"]:
    return groups.sum(valid.astype(jnp.int32)) > 0


def _may_wrap(values: Int[Array, " rows"]) -> Bool[Array, ""]:
    most = jnp.max(jnp.abs(values.astype(jnp.float64)), initial=0.0)
    return most * values.shape[0] >= _INT64_EDGE / 2


def _leaves_int64(
    groups: Groups, values: Int[Array, " rows"], summed: Int[Array, " groups"]
) -> Bool[Array, " groups"]:
    def check() -> Bool[Array, " groups"]:
        wide = groups.sum(values.astype(jnp.float64))
        return jnp.abs(wide - summed.astype(jnp.float64)) > _INT64_EDGE

    nowhere = jnp.zeros(groups.capacity, bool)
    outside: Array = jax.lax.cond(_may_wrap(values), check, lambda: nowhere)
    return outside


def mean(groups: Groups, column: Column, scale: float = 1.0) -> Column:
    """AVG as float64: the exact sum, rounded once, over the count times `scale`.

    NULL for a group without values.
    """
    values = jnp.where(column.valid, column.data, jnp.zeros((), column.data.dtype))
    number = groups.sum(column.valid.astype(jnp.int64))
    divisor = jnp.maximum(number, 1).astype(jnp.float64) * scale
    return Column(_wide_sum(groups, values) / divisor, number > 0)


def _wide_sum(groups: Groups, values: Array) -> Float[Array, " groups"]:
    """The sum as float64; of integers exact before it is rounded, even beyond int64."""
    if jnp.issubdtype(values.dtype, jnp.floating):
        return groups.sum(values)

    def in_halves() -> Float[Array, " groups"]:
        low = groups.sum(values & 0xFFFFFFFF)
        high = groups.sum(values >> 32) + (low >> 32)
        return high.astype(jnp.float64) * 2.0**32 + (low & 0xFFFFFFFF).astype(jnp.float64)

    def at_once() -> Float[Array, " groups"]:
        return groups.sum(values).astype(jnp.float64)

    summed: Array = jax.lax.cond(_may_wrap(values), in_halves, at_once)
    return summed


def extreme(groups: Groups, column: Column, *, largest: bool) -> Column:
    """MIN or MAX by SQL order; NULL for a group without values."""
    if not jnp.issubdtype(column.data.dtype, jnp.floating):
        best = groups.least(_rank(column, largest=largest))
        data = (jnp.bitwise_not(best) if largest else best).astype(column.data.dtype)
        return dataclasses.replace(column, data=data, valid=_any(groups, column.valid))
    return row_values(column, *best_row(groups, column, column.valid, largest=largest))


def _rank(column: Column, *, largest: bool) -> Int[Array, " rows"]:
    code = order_code(column.data)
    return jnp.where(column.valid, jnp.bitwise_not(code) if largest else code, _MOST)


def best_row(
    groups: Groups, column: Column, used: Bool[Array, " rows"], *, largest: bool
) -> tuple[Int[Array, " groups"], Bool[Array, " groups"]]:
    """The first row with each group's least or largest value, of the used rows; and whether any."""
    rank = _rank(column.only(used), largest=largest)
    hit = used & column.valid & (rank == groups.spread(groups.least(rank)))
    return end_row(groups, hit)


def end_row(
    groups: Groups,
    used: Bool[Array, " rows"],
    order: Int[Array, " rows"] | None = None,
    *,
    last: bool = False,
) -> tuple[Int[Array, " groups"], Bool[Array, " groups"]]:
    """Each group's first or last used row, and whether it has one.

    Args:
        groups: the groups.
        used: rows that take part.
        order: row positions in the order that counts; row order if not given.
        last: the last row instead of the first.
    """
    rows = jnp.arange(used.shape[0], dtype=jnp.int64)
    place = rows if order is None else jnp.zeros_like(rows).at[order].set(rows)
    place = used.shape[0] - 1 - place if last else place
    best = groups.least(jnp.where(used, place, _MOST))
    found = best < used.shape[0]
    best = jnp.where(found, best, 0)
    best = used.shape[0] - 1 - best if last else best
    return (best if order is None else order[best].astype(jnp.int64)), found


def row_values(column: Column, row: Int[Array, " groups"], found: Bool[Array, " groups"]) -> Column:
    """The column's values in the rows that were found; NULL where none was."""
    return column.take(row).only(found)
