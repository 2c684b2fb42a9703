"""Pairs of rows with equal keys: INNER, LEFT and FULL joins, and what a residual needs.

Count each left row's matches, give it as many output slots, scatter the row numbers to the first
slots and take the running maximum. Cost: the ids, one packed sort of the right side, and O(slots).
The number of slots is static; how many were needed is told beside the result, and the host runs
again with more where they are short.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.join_keys import Ids
from sqlax.runtime.relation import Relation


@dataclass(frozen=True)
class Pairs:
    """Output slots: pairs of a left and a right row, in left order, then right order.

    Attributes:
        left: left row of each slot.
        right: right row of each slot.
        exists: whether the slot is in use.
        matched: whether it is a pair; else the left row stands alone.
        first: whether it is the first slot of its left row.
        needed: number of slots that all pairs need, int64.
    """

    left: Int[Array, " slots"]
    right: Int[Array, " slots"]
    exists: Bool[Array, " slots"]
    matched: Bool[Array, " slots"]
    first: Bool[Array, " slots"]
    needed: Int[Array, ""]

    def rows(self, left: Relation, right: Relation) -> Relation:
        """The columns of both sides; the right ones are NULL where a left row stands alone."""
        matched = right.take(self.right, self.matched)
        alone = {name: c.only(self.matched) for name, c in matched.columns.items()}
        return Relation({**left.take(self.left, self.exists).columns, **alone}, self.exists)

    def having(self, kept: Bool[Array, " slots"], capacity: int) -> Pairs:
        """The pairs that are `kept`; a left row all of whose pairs go keeps its first slot, alone.

        Only for pairs that were made `outer`. `capacity` is the left side's.
        """
        kept = kept & self.matched
        lonely = self.first & self.exists & ~self.any_of_left(kept, capacity)[self.left]
        return dataclasses.replace(self, exists=kept | lonely, matched=kept)

    def any_of_left(self, condition: Bool[Array, " slots"], capacity: int) -> Bool[Array, " left"]:
        """Whether some pair of each left row has the condition."""
        return _any_of(self.left, condition & self.matched, capacity)

    def any_of_right(
        self, condition: Bool[Array, " slots"], capacity: int
    ) -> Bool[Array, " right"]:
        """Whether some pair of each right row has the condition."""
        return _any_of(self.right, condition & self.matched, capacity)


def _any_of(
    row: Int[Array, " slots"], condition: Bool[Array, " slots"], capacity: int
) -> Bool[Array, " rows"]:
    slot = jnp.where(condition, row, capacity)
    return jnp.zeros(capacity, bool).at[slot].set(True, mode="drop")


def pair_rows(ids: Ids, left: Bool[Array, " left"], capacity: int, *, outer: bool) -> Pairs:
    """All pairs of rows with equal ids.

    Args:
        ids: of both sides.
        left: left rows that exist.
        capacity: static number of output slots.
        outer: give left rows without a match a slot of their own.
    """
    order, starts = _by_id(ids)
    matches = ids.counts()
    emitted = jnp.where(left, jnp.maximum(matches, 1), 0) if outer else matches
    ends = jnp.cumsum(emitted.astype(jnp.int64))
    begins = ends - emitted
    row = _row_of_slot(begins, emitted > 0, capacity)
    within = jnp.arange(capacity, dtype=jnp.int64) - begins[row]
    exists = jnp.arange(capacity) < ends[-1]
    matched = exists & (within < matches[row])
    place = jnp.clip(starts[row] + within, 0, order.shape[0] - 1)
    return Pairs(row, order[place], exists, matched, exists & (within == 0), ends[-1])


def _by_id(ids: Ids) -> tuple[Int[Array, " right"], Int[Array, " left"]]:
    """Right rows in the order of their ids, and where each left row's matches start among them."""
    rows = ids.right.shape[0]
    bits = max(1, (rows - 1).bit_length())
    place = jnp.arange(rows, dtype=jnp.int64)
    packed = jnp.sort((ids.right.astype(jnp.int64) << bits) | place)
    order = (packed & ((1 << bits) - 1)).astype(jnp.int32)
    start = jax.ops.segment_min(place.astype(jnp.int32), packed >> bits, ids.size)
    return order, ids.of_left(start)


def _row_of_slot(
    starts: Int[Array, " left"], emits: Bool[Array, " left"], capacity: int
) -> Int[Array, " slots"]:
    """The left row each output slot belongs to: scatter of the starts and a running maximum."""
    rows = jnp.arange(starts.shape[0], dtype=jnp.int32)
    slot = jnp.where(emits, starts, capacity)
    marks = jnp.zeros(capacity, jnp.int32).at[slot].max(rows, mode="drop")
    return lax.cummax(marks)


def with_lonely_right(
    pairs: Pairs, left: Relation, right: Relation
) -> tuple[Relation, Int[Array, ""]]:
    """FULL JOIN: the outer pairs, then the right rows in no pair, in the slots behind them.

    Returns:
        The rows, and the number of slots they need.
    """
    slots = pairs.exists.shape[0]
    lonely = right.mask & ~pairs.any_of_right(jnp.ones(slots, bool), right.capacity)
    place = pairs.needed + jnp.cumsum(lonely, dtype=jnp.int64) - 1
    slot = jnp.where(lonely, place, slots)
    rows = jnp.arange(right.capacity, dtype=jnp.int32)
    right_row = pairs.right.at[slot].set(rows, mode="drop")
    alone = jnp.zeros(slots, bool).at[slot].set(True, mode="drop")
    columns = {
        name: column.only(~alone) for name, column in left.take(pairs.left, alone).columns.items()
    }
    taken = right.take(right_row, alone).columns
    columns |= {name: column.only(alone | pairs.matched) for name, column in taken.items()}
    return Relation(columns, pairs.exists | alone), pairs.needed + jnp.sum(lonely, dtype=jnp.int64)
