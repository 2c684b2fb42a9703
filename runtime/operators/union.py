"""UNION ALL: the rows of one relation behind those of another. O(n + m)."""

from __future__ import annotations

import jax.numpy as jnp

from sqlax.runtime.relation import Column, Relation


def concatenate(left: Relation, right: Relation) -> Relation:
    """The rows of both, the left ones first; both have the same columns of the same dtypes."""
    columns = {n: _behind(column, right.columns[n]) for n, column in left.columns.items()}
    return Relation(columns, jnp.concatenate([left.mask, right.mask]))


def _behind(left: Column, right: Column) -> Column:
    """Bounds are lost: how far the two reach together is not known when the plan is lowered."""
    data = jnp.concatenate([left.data, right.data])
    return Column(data, jnp.concatenate([left.valid, right.valid]))
