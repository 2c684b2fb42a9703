"""LIST and STRING_AGG: the values of each group, one behind the other. One packed sort."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool

from sqlax.runtime.lists import Lists
from sqlax.runtime.operators.group import Groups
from sqlax.runtime.operators.order import SortKey, sort_permutation
from sqlax.runtime.relation import Column


def collect(
    groups: Groups, column: Column, used: Bool[Array, " rows"], order: tuple[SortKey, ...]
) -> tuple[Column, Lists]:
    """The list of each group's values, as its number, and the lists.

    Args:
        groups: the groups.
        column: the values; a list may hold NULL.
        used: rows whose values are in the lists.
        order: keys of a list's values; those that are equal in all keys stay in row order.

    Returns:
        A column of `[groups]`, int32, NULL where no row is used, and what it has numbers of.
    """
    keys = order if groups.capacity == 1 else (SortKey(groups.key), *order)
    values = column.take(sort_permutation(keys, used))
    length = groups.sum(used.astype(jnp.int32))
    start = jnp.cumsum(length, dtype=jnp.int32) - length
    number = jnp.arange(groups.capacity, dtype=jnp.int32)
    return Column(number, length > 0), Lists(values, start, length)
