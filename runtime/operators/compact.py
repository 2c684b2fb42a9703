"""Moving the rows that exist to the front."""

from __future__ import annotations

import jax.numpy as jnp

from sqlax.runtime.relation import Relation


def compact(relation: Relation, slots: int | None = None) -> Relation:
    """The same rows in the same order in the first slots. O(n): a running count and a scatter.

    Args:
        relation: the rows.
        slots: the result's capacity, if not the same; rows beyond it are lost.
    """
    capacity = slots or relation.capacity
    place = jnp.cumsum(relation.mask, dtype=jnp.int32) - 1
    slot = jnp.where(relation.mask, place, capacity)
    rows = jnp.arange(relation.capacity, dtype=jnp.int32)
    index = jnp.zeros(capacity, jnp.int32).at[slot].set(rows, mode="drop")
    number = jnp.sum(relation.mask, dtype=jnp.int32)
    return relation.take(index, jnp.arange(capacity, dtype=jnp.int32) < number)
