"""Inner and left equi-joins: packed sort of the build side, search, count and emit.

Cost: O((n + m) log m) plus the output. The output has a static capacity; the number of rows it
would need is returned beside it, and the host runs again with a larger bucket when it is short.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.group import group_rows
from sqlax.runtime.relation import Column, Relation


def equi_join(
    left: Relation,
    right: Relation,
    keys: tuple[tuple[Column, Column], ...],
    capacity: int,
    *,
    outer: bool,
) -> tuple[Relation, Int[Array, ""]]:
    """Rows of `left` with every matching row of `right`, in left order, then right order.

    Args:
        left: probe side; its columns must not share names with `right`.
        right: build side.
        keys: pairs of key columns, left and right; NULL matches nothing.
        capacity: static number of output slots.
        outer: keep left rows without a match, with NULLs on the right (LEFT JOIN).

    Returns:
        The joined relation and the number of rows needed, int64.
    """
    left_id, right_id = _shared_ids(left, right, keys)
    order = jnp.argsort(right_id, stable=True).astype(jnp.int32)
    low = jnp.searchsorted(right_id[order], left_id, side="left")
    high = jnp.searchsorted(right_id[order], left_id, side="right")
    matches = jnp.where(left_id >= 0, high - low, 0)
    emitted = jnp.where(left.mask, jnp.maximum(matches, 1) if outer else matches, 0)
    return _emit(left, right, order, (low, matches, emitted), capacity)


def _shared_ids(
    left: Relation, right: Relation, keys: tuple[tuple[Column, Column], ...]
) -> tuple[Int[Array, " left"], Int[Array, " right"]]:
    """Dense ids, equal exactly where all keys are equal; ids that match nothing elsewhere."""
    joined = tuple(_stack(a, b) for a, b in keys)
    usable = jnp.concatenate([left.mask, right.mask])
    for key in joined:
        usable &= key.valid
    groups = group_rows(usable, joined)
    ids = jnp.zeros(usable.shape, jnp.int32).at[groups.permutation].set(groups.segment)
    split = left.capacity
    return (
        jnp.where(usable[:split], ids[:split], -1),
        jnp.where(usable[split:], ids[split:], np.iinfo(np.int32).max),
    )


def _stack(left: Column, right: Column) -> Column:
    dtype = jnp.promote_types(left.data.dtype, right.data.dtype)
    data = jnp.concatenate([left.data.astype(dtype), right.data.astype(dtype)])
    return Column(data, jnp.concatenate([left.valid, right.valid]))


def _emit(
    left: Relation,
    right: Relation,
    order: Int[Array, " right"],
    runs: tuple[Int[Array, " left"], Int[Array, " left"], Int[Array, " left"]],
    capacity: int,
) -> tuple[Relation, Int[Array, ""]]:
    low, matches, emitted = runs
    ends = jnp.cumsum(emitted.astype(jnp.int64))
    starts = ends - emitted
    row = _row_of_slot(starts, emitted > 0, capacity)
    within = jnp.arange(capacity, dtype=jnp.int64) - starts[row]
    exists = jnp.arange(capacity) < ends[-1]
    matched = exists & (within < matches[row])
    place = jnp.clip(low[row] + within, 0, right.capacity - 1)
    picked = right.take(order[place], matched)
    columns = {**left.take(row, exists).columns, **_nullable(picked, matched)}
    return Relation(columns, exists), ends[-1]


def _row_of_slot(
    starts: Int[Array, " left"], emits: Bool[Array, " left"], capacity: int
) -> Int[Array, " slots"]:
    """The left row each output slot belongs to: scatter of the starts and a running maximum."""
    rows = jnp.arange(starts.shape[0], dtype=jnp.int32)
    slot = jnp.where(emits, starts, capacity)
    marks = jnp.zeros(capacity, jnp.int32).at[slot].max(rows, mode="drop")
    return lax.cummax(marks)


def _nullable(relation: Relation, matched: Bool[Array, " slots"]) -> dict[str, Column]:
    return {
        name: Column(column.data, column.valid & matched)
        for name, column in relation.columns.items()
    }
