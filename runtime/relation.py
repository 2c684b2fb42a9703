"""A relation on the device: columns of a static capacity and a mask of the rows that exist."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Column:
    """One column: `data` is arbitrary where `valid` is false (SQL's NULL)."""

    data: Shaped[Array, " rows"]
    valid: Bool[Array, " rows"]

    def take(self, index: Int[Array, " picked"]) -> Column:
        """The column's values at `index`, which must lie inside the capacity."""
        return Column(self.data[index], self.valid[index])


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Relation:
    """Columns by name over one capacity; a row exists where `mask` is true.

    Row order is the order of positions. Cheap operators clear mask bits instead of moving rows;
    model work reads a compacted list of the rows that are left.
    """

    columns: dict[str, Column]
    mask: Bool[Array, " rows"]

    @property
    def capacity(self) -> int:
        """The static number of row slots."""
        return self.mask.shape[0]

    def count(self) -> Int[Array, ""]:
        """Number of rows that exist, int64."""
        return jnp.sum(self.mask, dtype=jnp.int64)

    def take(self, index: Int[Array, " picked"], mask: Bool[Array, " picked"]) -> Relation:
        """The rows at `index`, of which those with `mask` exist."""
        return Relation({name: c.take(index) for name, c in self.columns.items()}, mask)

    def where(self, keep: Bool[Array, " rows"]) -> Relation:
        """The rows that exist and for which `keep` is true."""
        return Relation(self.columns, self.mask & keep)

    def with_columns(self, **columns: Column) -> Relation:
        """The same rows with columns added or replaced."""
        return Relation({**self.columns, **columns}, self.mask)

    def select(self, names: tuple[str, ...]) -> Relation:
        """The same rows with only the named columns, in that order."""
        return Relation({name: self.columns[name] for name in names}, self.mask)


def bucket(count: int, least: int = 256) -> int:
    """The capacity for `count` rows: the next power of two, at least `least`."""
    return max(least, 1 << max(0, count - 1).bit_length())
