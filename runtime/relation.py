"""A relation on the device: columns of a static capacity and a mask of the rows that exist."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Bool, Int, Shaped

BITS = (1, 4, 8, 12, 16, 20, 24, 28, 32, 40)
"""The numbers of bits that bounds come in: few, so that few programs differ by them alone."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Column:
    """One column: `data` is arbitrary where `valid` is false (SQL's NULL).

    Attributes:
        data: the values; bool, int32 (dictionary codes, row numbers), int64 or float64.
        valid: where there is a value.
        low: where `bits` is known, an int64 scalar with `0 <= data - low < 2**bits` wherever
            `valid`, in rows that do not exist too.
        bits: one of `BITS`, static; None where no bounds are known. What computes new values
            leaves it out, what only moves values keeps it.
    """

    data: Shaped[Array, " rows"]
    valid: Bool[Array, " rows"]
    low: Int[Array, ""] | None = None
    bits: int | None = dataclasses.field(default=None, metadata={"static": True})

    def take(self, index: Int[Array, " picked"]) -> Column:
        """The column's values at `index`, which must lie inside the capacity."""
        return dataclasses.replace(self, data=self.data[index], valid=self.valid[index])

    def only(self, kept: Bool[Array, " rows"]) -> Column:
        """The same values, NULL where not `kept`."""
        return dataclasses.replace(self, valid=self.valid & kept)

    def offset(self) -> Int[Array, " rows"]:
        """`data - low` as int64, 0 where NULL; only for columns with bounds."""
        assert self.low is not None, "a column without bounds has no offsets"
        return jnp.where(self.valid, self.data.astype(jnp.int64) - self.low, 0)


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

    def part(self, at: Int[Array, ""] | int, rows: int) -> Relation:
        """The slots from `at` on, which must lie inside the capacity."""

        def sliced(values: Array) -> Array:
            return jax.lax.dynamic_slice_in_dim(values, at, rows)

        columns = {
            name: dataclasses.replace(c, data=sliced(c.data), valid=sliced(c.valid))
            for name, c in self.columns.items()
        }
        return Relation(columns, sliced(self.mask))

    def end(self) -> Int[Array, ""]:
        """The slots up to the last row that exists, int32."""
        slots = jnp.arange(1, self.capacity + 1, dtype=jnp.int32)
        return jnp.max(jnp.where(self.mask, slots, 0))

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


def bounds_of(data: npt.NDArray[Any], valid: npt.NDArray[Any]) -> tuple[np.int64, int] | None:
    """`low` and `bits` for a host column that is loaded; None for floats and for wide ranges.

    Cost: one pass over the values. The same data gives the same bounds; a column without values
    has the narrowest.
    """
    if np.issubdtype(data.dtype, np.floating):
        return None
    present = data if valid.all() else data[valid]
    if not len(present):
        return np.int64(0), BITS[0]
    low, high = int(present.min()), int(present.max())
    bits = next((bits for bits in BITS if high - low < 1 << bits), None)
    return None if bits is None else (np.int64(low), bits)
