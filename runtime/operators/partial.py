"""Aggregates made piece by piece: what a piece of the rows adds to each group's state.

Over many rows whole columns do not fit the cache, and every value that is computed on the way
costs a pass over memory. A piece of a few thousand rows stays in the cache from the filter to the
sums. Cost: O(rows) and O(groups) for each piece.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.group import Groups
from sqlax.runtime.operators.order import order_code, value_of_code
from sqlax.runtime.relation import Column

State = tuple[Array, ...]
_MOST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Partial:
    """One aggregate over a piece of the rows.

    Attributes:
        state: what the piece makes of each group.
        neutral: what a state of no rows holds.
        combine: the state of two pieces.
        finish: the aggregate from the state of all pieces, and where it left int64.
    """

    state: State
    neutral: tuple[float, ...]
    combine: Callable[[State, State], State]
    finish: Callable[[State], tuple[Column, Array]]


def _add(a: State, b: State) -> State:
    return tuple(one + other for one, other in zip(a, b, strict=True))


def _nowhere(like: Array) -> Bool[Array, " groups"]:
    return jnp.zeros(like.shape, bool)


def counted(groups: Groups, counts: Bool[Array, " rows"]) -> Partial:
    """COUNT."""

    def finish(state: State) -> tuple[Column, Array]:
        return Column(state[0], ~_nowhere(state[0])), _nowhere(state[0])

    return Partial((_number(groups, counts),), (0,), _add, finish)


def _number(groups: Groups, counts: Bool[Array, " rows"]) -> Int[Array, " groups"]:
    """How many rows count; where all rows that exist do, one sum serves all aggregates."""
    exists = groups.of_row < groups.capacity
    every = groups.sum(exists.astype(jnp.int64))
    number: Array = jax.lax.cond(
        jnp.all(counts == exists), lambda: every, lambda: groups.sum(counts.astype(jnp.int64))
    )
    return number


def summed(groups: Groups, column: Column) -> Partial:
    """SUM of int64 or float64."""
    return _sum(groups, column, _finish_sum)


def averaged(groups: Groups, column: Column, scale: float) -> Partial:
    """AVG: the exact sum over the count times `scale`."""

    def finish(state: State) -> tuple[Column, Array]:
        *parts, number = state
        if len(parts) == 1:
            total = parts[0]
        else:
            high, low = _carried(parts[0], parts[1])
            total = high.astype(jnp.float64) * 2.0**32 + low.astype(jnp.float64)
        divisor = jnp.maximum(number, 1).astype(jnp.float64) * scale
        return Column(total / divisor, number > 0), _nowhere(number)

    return _sum(groups, column, finish)


def _sum(
    groups: Groups, column: Column, finish: Callable[[State], tuple[Column, Array]]
) -> Partial:
    values = jnp.where(column.valid, column.data, jnp.zeros((), column.data.dtype))
    number = _number(groups, column.valid)
    if jnp.issubdtype(values.dtype, jnp.floating):
        return Partial((groups.sum(values), number), (0.0, 0), _add, finish)
    return Partial((*_halves(groups, values), number), (0, 0, 0), _add, finish)


def _halves(
    groups: Groups, values: Int[Array, " rows"]
) -> tuple[Int[Array, " groups"], Int[Array, " groups"]]:
    """The exact sum as `high * 2**32 + low`, low not negative."""

    def at_once() -> tuple[Array, Array]:
        total = groups.sum(values)
        return total >> 32, total & 0xFFFFFFFF

    def apart() -> tuple[Array, Array]:
        return groups.sum(values >> 32), groups.sum(values & 0xFFFFFFFF)

    room = 62 - values.shape[0].bit_length()
    wide = jnp.any((values >= 1 << room) | (values < -(1 << room)))
    high, low = jax.lax.cond(wide, apart, at_once)
    return high, low


def _carried(
    high: Int[Array, " groups"], low: Int[Array, " groups"]
) -> tuple[Int[Array, " groups"], Int[Array, " groups"]]:
    return high + (low >> 32), low & 0xFFFFFFFF


def _finish_sum(state: State) -> tuple[Column, Array]:
    *parts, number = state
    if len(parts) == 1:
        return Column(parts[0], number > 0), _nowhere(number)
    high, low = _carried(parts[0], parts[1])
    outside = (high < -(1 << 31)) | (high >= 1 << 31)
    return Column((high << 32) + low, number > 0), outside


def extreme(groups: Groups, column: Column, *, largest: bool) -> Partial:
    """MIN or MAX by SQL order."""
    code = order_code(column.data)
    rank = jnp.where(column.valid, jnp.bitwise_not(code) if largest else code, _MOST)
    dtype = column.data.dtype

    def combine(a: State, b: State) -> State:
        return jnp.minimum(a[0], b[0]), a[1] + b[1]

    def finish(state: State) -> tuple[Column, Array]:
        best = jnp.bitwise_not(state[0]) if largest else state[0]
        data = value_of_code(best, dtype)
        return Column(data, state[1] > 0), _nowhere(state[0])

    state = (groups.least(rank), _number(groups, column.valid))
    return Partial(state, (_MOST, 0), combine, finish)
