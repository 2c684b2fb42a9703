"""Variance, covariance and correlation over groups: two passes, so that nothing cancels. O(n).

The mean of each group first, then the sums of products of the distances from it. The mean is that
of the distances from the group's first value, so equal values have no variance at all.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from sqlax.runtime.operators.group import Groups
from sqlax.runtime.relation import Column


def covariance(groups: Groups, a: Column, b: Column, *, sample: bool) -> Column:
    """The covariance of two float64 columns over the rows where both have a value.

    Of a column with itself it is the variance. NULL for a group without pairs, and with `sample`
    (the divisor is one less than the count) for a group of one.
    """
    used = a.valid & b.valid
    number, products = _products(groups, a, b, used)
    least = 2 if sample else 1
    divisor = jnp.maximum(number - (1 if sample else 0), 1).astype(jnp.float64)
    return Column(products / divisor, number >= least)


def deviation(groups: Groups, column: Column, *, sample: bool) -> Column:
    """The square root of the variance."""
    variance = covariance(groups, column, column, sample=sample)
    return Column(jnp.sqrt(variance.data), variance.valid)


def correlation(groups: Groups, a: Column, b: Column) -> Column:
    """Pearson's correlation; NULL for a group without pairs, NaN where one side does not vary."""
    used = a.valid & b.valid
    number, both = _products(groups, a, b, used)
    _, first = _products(groups, a, a, used)
    _, second = _products(groups, b, b, used)
    return Column(both / jnp.sqrt(first * second), number > 0)


def _products(
    groups: Groups, a: Column, b: Column, used: Bool[Array, " rows"]
) -> tuple[Array, Float[Array, " groups"]]:
    """How many rows are used, and the sum of the products of their distances from the means."""
    number = groups.sum(used.astype(jnp.int64))
    products = _distance(groups, a, used, number) * _distance(groups, b, used, number)
    return number, groups.sum(jnp.where(used, products, 0.0))


def _distance(
    groups: Groups, column: Column, used: Bool[Array, " rows"], number: Array
) -> Float[Array, " rows"]:
    near = column.data - groups.spread(_first_used(groups, column.data, used))
    summed = groups.sum(jnp.where(used, near, 0.0))
    return near - groups.spread(summed / jnp.maximum(number, 1).astype(jnp.float64))


def _first_used(
    groups: Groups, values: Float[Array, " rows"], used: Bool[Array, " rows"]
) -> Float[Array, " groups"]:
    """The value of each group's first row that is used; anything where there is none."""
    rows = jnp.arange(used.shape[0], dtype=jnp.int32)
    first = groups.least(jnp.where(used, rows, used.shape[0] - 1))
    return values.at[first].get(mode="clip")
