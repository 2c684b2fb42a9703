"""Moving the rows that exist to the front."""

from __future__ import annotations

import jax.numpy as jnp

from sqlax.runtime.relation import Relation


def compact(relation: Relation) -> Relation:
    """The same rows in the same order in the first slots. O(n): a running count and a scatter."""
    place = jnp.cumsum(relation.mask, dtype=jnp.int32) - 1
    slot = jnp.where(relation.mask, place, relation.capacity)
    rows = jnp.arange(relation.capacity, dtype=jnp.int32)
    index = jnp.zeros(relation.capacity, jnp.int32).at[slot].set(rows, mode="drop")
    return relation.take(index, rows < jnp.sum(relation.mask, dtype=jnp.int32))
