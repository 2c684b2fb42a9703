"""Aggregates over frames of places.

Counts and sums of integers are differences of running sums, exact whatever the running sum does
beyond 64 bits, because it is kept in two halves: O(n). Sums of floats, whose differences would
cancel, and extremes are folded by doubling: a table of folds over 1, 2, 4, ... places is made
step by step, and each frame takes the tables of the bits of its length: O(n log n), two gathers a
step (the sparse table of range-minimum queries, without the memory).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.operators.order import order_code, value_of_code
from sqlax.runtime.relation import Column


@dataclass(frozen=True)
class Frame:
    """The places from `first` to `last` that each place's frame has; none where they cross.

    Where there are rows, both lie inside the partition.
    """

    first: Int[Array, " places"]
    last: Int[Array, " places"]

    @property
    def has_rows(self) -> Bool[Array, " places"]:
        """Whether the frame is not empty."""
        return self.first <= self.last

    def difference(self, values: Int[Array, " places"]) -> Int[Array, " places"]:
        """The sum over each frame by running sums, modulo 2**64."""
        running = jnp.cumsum(values, dtype=jnp.int64)
        most = values.shape[0] - 1
        first, last = jnp.clip(self.first, 0, most), jnp.clip(self.last, 0, most)
        return jnp.where(self.has_rows, running[last] - running[first] + values[first], 0)

    def fold(
        self,
        values: Shaped[Array, " places"],
        combine: Callable[[Array, Array], Array],
        neutral: Shaped[Array, ""],
    ) -> Shaped[Array, " places"]:
        """The values of each frame combined, in any order, by doubling."""
        length = jnp.where(self.has_rows, self.last - self.first + 1, 0)
        count = values.shape[0]
        place = jnp.arange(count, dtype=jnp.int64)

        def step(bit: Array, carry: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
            table, at, made = carry
            width = jnp.left_shift(jnp.int64(1), bit)
            takes = ((length >> bit) & 1) == 1
            found = table[jnp.clip(at, 0, count - 1)]
            made = jnp.where(takes, combine(made, found), made)
            behind = jnp.where(place + width < count, jnp.roll(table, -width), neutral)
            return combine(table, behind), jnp.where(takes, at + width, at), made

        begun = (values, self.first, jnp.full_like(values, neutral))
        steps = jnp.asarray(count.bit_length(), jnp.int64)
        folded: Array = jax.lax.fori_loop(jnp.int64(0), steps, step, begun)[2]
        return folded


def number(frame: Frame, counted: Bool[Array, " places"]) -> Column:
    """COUNT: how many places of each frame are counted; never NULL."""
    found = frame.difference(counted.astype(jnp.int64))
    return Column(found, jnp.ones_like(counted))


def _filled(column: Column) -> Shaped[Array, " places"]:
    return jnp.where(column.valid, column.data, jnp.zeros((), column.data.dtype))


def total(frame: Frame, column: Column) -> tuple[Column, Bool[Array, " places"]]:
    """SUM of int64 or float64, and where it left int64; NULL for a frame without values."""
    values, some = _filled(column), number(frame, column.valid).data > 0
    if jnp.issubdtype(values.dtype, jnp.floating):
        made = frame.fold(values, jnp.add, jnp.zeros((), values.dtype))
        return Column(made, some), jnp.zeros_like(some)
    high, low = _halves(frame, values)
    outside = (high < -(1 << 31)) | (high >= 1 << 31)
    return Column((high << 32) + low, some), outside


def _halves(
    frame: Frame, values: Int[Array, " places"]
) -> tuple[Int[Array, " places"], Int[Array, " places"]]:
    """The exact sum as `high * 2**32 + low` with `0 <= low < 2**32`."""
    low = frame.difference(values & 0xFFFFFFFF)
    return frame.difference(values >> 32) + (low >> 32), low & 0xFFFFFFFF


def mean(frame: Frame, column: Column, scale: float = 1.0) -> Column:
    """AVG as float64: the sum over the count times `scale`; NULL for a frame without values."""
    values, count = _filled(column), number(frame, column.valid).data
    if jnp.issubdtype(values.dtype, jnp.floating):
        summed = frame.fold(values, jnp.add, jnp.zeros((), values.dtype))
    else:
        high, low = _halves(frame, values)
        summed = high.astype(jnp.float64) * 2.0**32 + low.astype(jnp.float64)
    return Column(summed / (jnp.maximum(count, 1).astype(jnp.float64) * scale), count > 0)


def smallest(frame: Frame, column: Column, *, largest: bool) -> Column:
    """MIN, or MAX if `largest`, by SQL order; NULL for a frame without values."""
    most = np.iinfo(np.int64).max
    code = order_code(column.data)
    rank = jnp.where(column.valid, jnp.bitwise_not(code) if largest else code, most)
    best = frame.fold(rank, jnp.minimum, jnp.asarray(most, jnp.int64))
    code = jnp.bitwise_not(best) if largest else best
    some = number(frame, column.valid).data > 0
    data = value_of_code(code, column.data.dtype)
    return dataclasses.replace(column, data=data, valid=some)
