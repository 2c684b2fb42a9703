"""Scanned rows as they lie in memory: each value minus its column's least, in few bytes.

What reads every row once is bound by the memory it reads. This is the frame-of-reference
encoding: where the bounds of a column have few bits, its values take as many bytes as those need.
Operators see a `Relation`: of all rows, or of one piece of them that is widened in the cache.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.runtime.relation import Column, Relation

_DTYPES = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))


def narrow_dtype(dtype: npt.DTypeLike, bits: int | None) -> np.dtype[Any]:
    """The dtype that holds offsets of so many bits; `dtype` itself where none is narrower."""
    wide = np.dtype(dtype)
    if bits is None:
        return wide
    fitting = (held for held in _DTYPES if bits <= 8 * held.itemsize < 8 * wide.itemsize)
    return next(fitting, wide)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class NarrowColumn:
    """One column as it was loaded.

    Attributes:
        data: values of `dtype`; `value - low` where it is narrower. Arbitrary where NULL.
        valid: where there is a value; None where every row has one.
        low: the lower bound, int64 scalar; None without bounds.
        bits: the bits of `value - low`, as `Column.bits`.
        dtype: the dtype of the values, static.
    """

    data: Shaped[Array, " rows"]
    valid: Bool[Array, " rows"] | None
    low: Int[Array, ""] | None
    bits: int | None = dataclasses.field(metadata={"static": True})
    dtype: np.dtype[Any] = dataclasses.field(metadata={"static": True})

    def wide(self, exists: Bool[Array, " rows"]) -> Column:
        """The column with its values in full; `exists` are the rows there are."""
        valid = exists if self.valid is None else self.valid
        return Column(self._values(), valid, self.low, self.bits)

    def part(self, at: Int[Array, ""] | int, rows: int) -> NarrowColumn:
        """The slots from `at` on."""
        data = jax.lax.dynamic_slice_in_dim(self.data, at, rows)
        valid = self.valid
        if valid is not None:
            valid = jax.lax.dynamic_slice_in_dim(valid, at, rows)
        return dataclasses.replace(self, data=data, valid=valid)

    def _values(self) -> Shaped[Array, " rows"]:
        if self.low is None or self.data.dtype == self.dtype:
            return self.data
        return self.data.astype(self.dtype) + self.low.astype(self.dtype)


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class NarrowRelation:
    """The rows of a scan as they were loaded: the first `count` of `capacity` slots.

    Attributes:
        columns: by name.
        count: how many rows exist, int32 scalar.
        capacity: the number of row slots, static.
    """

    columns: dict[str, NarrowColumn]
    count: Int[Array, ""]
    capacity: int = dataclasses.field(metadata={"static": True})

    def wide(self) -> Relation:
        """All rows with their values in full."""
        mask = jnp.arange(self.capacity, dtype=jnp.int32) < self.count
        return Relation({name: c.wide(mask) for name, c in self.columns.items()}, mask)

    def part(self, at: Int[Array, ""] | int, rows: int) -> Relation:
        """The slots from `at` on with their values in full; they must lie inside the capacity."""
        mask = at + jnp.arange(rows, dtype=jnp.int32) < self.count
        parts = ((name, column.part(at, rows)) for name, column in self.columns.items())
        return Relation({name: part.wide(mask) for name, part in parts}, mask)

    def end(self) -> Int[Array, ""]:
        """The slots up to the last row that exists, int32."""
        return self.count
