"""Quantiles: one sort of the values inside their groups, O(n log n)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from sqlax.runtime.operators.aggregate import row_values
from sqlax.runtime.operators.group import Groups
from sqlax.runtime.operators.order import SortKey, sort_permutation
from sqlax.runtime.relation import Column


def discrete_quantile(
    groups: Groups, column: Column, fraction: float, *, descending: bool = False
) -> Column:
    """QUANTILE_DISC: the first value that at least `fraction` of a group do not exceed."""
    permutation, start, number = _sorted_values(groups, column, descending)
    size = number.astype(jnp.float64)
    place = jnp.maximum(number - jnp.floor(size - fraction * size).astype(jnp.int64), 1) - 1
    return row_values(column, _row(permutation, start + place), number > 0)


def quantile_ends(
    groups: Groups, column: Column, fraction: float, *, descending: bool = False
) -> tuple[Column, Column, Float[Array, " groups"]]:
    """The values on either side of a continuous quantile, and how far between them it lies.

    Its place is `fraction * (n - 1)`; NULL for a group without values.
    """
    permutation, start, number = _sorted_values(groups, column, descending)
    place = jnp.maximum(number - 1, 0).astype(jnp.float64) * fraction
    below, above = jnp.floor(place), jnp.ceil(place)
    low = _row(permutation, start + below.astype(jnp.int64))
    high = _row(permutation, start + above.astype(jnp.int64))
    found = number > 0
    return row_values(column, low, found), row_values(column, high, found), place - below


def _sorted_values(
    groups: Groups, column: Column, descending: bool
) -> tuple[Int[Array, " rows"], Int[Array, " groups"], Int[Array, " groups"]]:
    """Rows by group and value, where each group starts among them, and how many values it has."""
    own = () if groups.capacity == 1 else (SortKey(groups.key),)
    permutation = sort_permutation((*own, SortKey(column, descending)), column.valid)
    number = groups.sum(column.valid.astype(jnp.int64))
    return permutation, jnp.cumsum(number) - number, number


def _row(permutation: Int[Array, " rows"], place: Int[Array, " groups"]) -> Int[Array, " groups"]:
    return permutation[jnp.clip(place, 0, permutation.shape[0] - 1)].astype(jnp.int64)
