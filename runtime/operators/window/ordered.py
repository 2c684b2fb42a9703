"""The rows of a relation by partition and order, with the ends of partitions and peers."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.order import SortKey, changes, sort_permutation
from sqlax.runtime.relation import Column


@dataclass(frozen=True)
class Ordered:
    """Places: rows sorted by PARTITION BY, then by ORDER BY, ties in row order.

    Attributes:
        permutation: row of each place.
        start: first place of each place's partition.
        end: last place of it.
        peer_start: first place whose row is equal in ORDER BY.
        peer_end: last one.
    """

    permutation: Int[Array, " places"]
    start: Int[Array, " places"]
    end: Int[Array, " places"]
    peer_start: Int[Array, " places"]
    peer_end: Int[Array, " places"]

    @property
    def place(self) -> Int[Array, " places"]:
        """The number of each place."""
        return jnp.arange(self.permutation.shape[0], dtype=jnp.int64)

    @property
    def size(self) -> Int[Array, " places"]:
        """Number of rows of each place's partition."""
        return self.end - self.start + 1

    def to_places(self, column: Column) -> Column:
        """A column of the rows in place order."""
        return column.take(self.permutation)

    def to_rows(self, column: Column) -> Column:
        """A column in place order beside the rows."""
        data = jnp.zeros_like(column.data).at[self.permutation].set(column.data)
        valid = jnp.zeros_like(column.valid).at[self.permutation].set(column.valid)
        return dataclasses.replace(column, data=data, valid=valid)


def order_rows(
    mask: Bool[Array, " rows"], partition: tuple[Column, ...], order: tuple[SortKey, ...]
) -> Ordered:
    """The rows that exist in place order, the others behind them. One sort, O(n log n)."""
    permutation = sort_permutation((*(SortKey(key) for key in partition), *order), mask)
    live = mask[permutation]
    begins = changes(partition, permutation) | (live != jnp.roll(live, 1))
    begins_peers = begins | changes(tuple(key.column for key in order), permutation)
    return Ordered(
        permutation, _first(begins), _last(begins), _first(begins_peers), _last(begins_peers)
    )


def _first(begins: Bool[Array, " places"]) -> Int[Array, " places"]:
    place = jnp.arange(begins.shape[0], dtype=jnp.int64)
    return lax.cummax(jnp.where(begins, place, 0))


def _last(begins: Bool[Array, " places"]) -> Int[Array, " places"]:
    most = begins.shape[0] - 1
    place = jnp.arange(begins.shape[0], dtype=jnp.int64)
    ends = jnp.roll(begins, -1) | (place == most)
    return lax.cummin(jnp.where(ends, place, most), reverse=True)
