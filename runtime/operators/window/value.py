"""LAG, LEAD, FIRST_VALUE, LAST_VALUE, NTH_VALUE: gathers from another place. O(n).

Every function numbers the rows it may choose from: all, or with `skips_nulls` those with a value.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.window.frame import Frame
from sqlax.runtime.operators.window.ordered import Ordered
from sqlax.runtime.relation import Column


@dataclass(frozen=True)
class _Choices:
    """The places that can be chosen, in order, and how many lie before each place."""

    places: Int[Array, " places"]
    before: Int[Array, " places"]
    can: Bool[Array, " places"]

    @classmethod
    def of(cls, can: Bool[Array, " places"]) -> _Choices:
        count = jnp.cumsum(can, dtype=jnp.int64)
        before = count - can
        slot = jnp.where(can, before, can.shape[0])
        place = jnp.arange(can.shape[0], dtype=jnp.int64)
        return cls(jnp.zeros_like(place).at[slot].set(place, mode="drop"), before, can)

    def through(self, place: Int[Array, " places"]) -> Int[Array, " places"]:
        """How many can be chosen up to a place, itself included."""
        place = _inside(place, self.can)
        return self.before[place] + self.can[place]


def _inside(place: Int[Array, " places"], like: Array) -> Int[Array, " places"]:
    return jnp.clip(place, 0, like.shape[0] - 1)


def _pick(
    column: Column,
    choices: _Choices,
    index: Int[Array, " places"],
    found: Bool[Array, " places"],
) -> Column:
    place = choices.places[_inside(index, choices.places)]
    return column.take(place).only(found)


def _can(column: Column, skips_nulls: bool) -> Bool[Array, " places"]:
    return column.valid if skips_nulls else jnp.ones_like(column.valid)


def neighbour(
    rows: Ordered, column: Column, offset: int, *, skips_nulls: bool
) -> tuple[Column, Bool[Array, " places"]]:
    """The value `offset` rows behind (LEAD) or, if negative, before (LAG); and whether it exists.

    Args:
        rows: the places.
        column: values in place order.
        offset: not 0 where NULLs are skipped.
        skips_nulls: count only rows with a value.
    """
    choices = _Choices.of(_can(column, skips_nulls))
    before = choices.through(rows.place) - 1 if offset > 0 else choices.before
    index = before + offset
    found = (index >= choices.before[rows.start]) & (index < choices.through(rows.end))
    return _pick(column, choices, index, found), found


def nth_value(frame: Frame, column: Column, n: int, *, skips_nulls: bool) -> Column:
    """The value of row number `n` of each frame; NULL where the frame is shorter."""
    choices = _Choices.of(_can(column, skips_nulls))
    index = choices.before[_inside(frame.first, choices.before)] + n - 1
    found = frame.has_rows & (index < choices.through(frame.last))
    return _pick(column, choices, index, found)


def end_value(frame: Frame, column: Column, *, skips_nulls: bool) -> Column:
    """The value of the last row of each frame; NULL where it has none."""
    choices = _Choices.of(_can(column, skips_nulls))
    index = choices.through(frame.last) - 1
    least = choices.before[_inside(frame.first, choices.before)]
    return _pick(column, choices, index, frame.has_rows & (index >= least))
