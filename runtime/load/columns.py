"""Arrow columns as padded NumPy arrays of the device's dtypes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from jaxtyping import Array

from sqlax.errors import OutsideGraphError
from sqlax.runtime.load import arrow
from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.load.morsel import Bounds
from sqlax.runtime.narrow import NarrowColumn, narrow_dtype
from sqlax.runtime.relation import Column, bounds_of

_ALIGNMENT = 64
"""JAX takes over a NumPy buffer that starts at a multiple of 64 bytes, and copies any other."""


def device_like(values: Any, dtype: npt.DTypeLike) -> Array:
    """A NumPy array in the place of a device array, until `jax.device_put` moves the whole tree."""
    return cast("Array", np.asarray(values, dtype))


def host_column(data: HostArray, valid: HostArray, capacity: int) -> Column:
    """A column of NumPy arrays padded with zeros to `capacity`, without bounds."""
    padded, known = (_filled([given], given.dtype, capacity) for given in (data, valid))
    return Column(device_like(padded, padded.dtype), device_like(known, bool))


def bounded_column(data: HostArray, valid: HostArray, capacity: int) -> Column:
    """A column of NumPy arrays padded with zeros to `capacity`, with its bounds."""
    padded, known = (_filled([given], given.dtype, capacity) for given in (data, valid))
    return _bounded(padded, known, len(data))


def narrow_column(
    pieces: Iterable[HostArray],
    valid: HostArray | None,
    dtype: npt.DTypeLike,
    capacity: int,
    bounds: Bounds | None = None,
) -> NarrowColumn:
    """A scan's column of NumPy arrays padded to `capacity`, as narrow as its bounds allow.

    Args:
        pieces: the values, one piece behind the other; arbitrary where NULL.
        valid: where there is a value, of length `capacity`; None where no value is NULL.
        dtype: the values' dtype on the device: bool, int32, int64 or float64.
        capacity: row slots.
        bounds: the low value and the bits of all values, where known.
    """
    low, bits = bounds if bounds is not None else (None, None)
    held = narrow_dtype(dtype, bits)
    if low is None or held == dtype:
        data = _filled(pieces, dtype, capacity)
    else:
        offsets = (np.subtract(piece, low, dtype=np.int64, casting="unsafe") for piece in pieces)
        data = _filled(offsets, held, capacity)
        if valid is not None:
            data[~valid] = 0
    return NarrowColumn(
        device_like(data, held),
        None if valid is None else device_like(valid, bool),
        None if low is None else device_like(low, np.int64),
        bits,
        np.dtype(dtype),
    )


def column_bounds(column: pa.ChunkedArray) -> Bounds | None:
    """The bounds of a column of integers; None where their range is wide."""
    ends = [end for chunk in column.chunks for end in arrow.ends(chunk)]
    return bounds_of(np.asarray(ends, np.int64), np.ones(len(ends), bool))


def check_fits(column: pa.ChunkedArray) -> None:
    """Refuse numbers that 64 bits do not hold.

    Raises:
        OutsideGraphError: a DECIMAL or a HUGEINT does not fit.
    """
    if any(arrow.beyond(chunk) is not None for chunk in column.chunks):
        raise OutsideGraphError(f"a value of type {column.type} does not fit 64 bits")


def load_column(column: pa.ChunkedArray, dtype: npt.DTypeLike, capacity: int) -> Column:
    """A column of numbers, copied once into a buffer of `capacity`, without bounds.

    Args:
        column: any type that `arrow.values` reads.
        dtype: bool, int32, int64 or float64.
        capacity: row slots.

    Raises:
        OutsideGraphError: a DECIMAL or a HUGEINT does not fit 64 bits.
    """
    check_fits(column)
    data = _filled(map(arrow.values, column.chunks), dtype, capacity)
    return Column(device_like(data, dtype), device_like(validity(column, capacity), bool))


def _bounded(data: HostArray, valid: HostArray, rows: int) -> Column:
    """The column with the bounds of its first `rows` values."""
    found = bounds_of(data[:rows], valid[:rows])
    low, bits = found if found is not None else (None, None)
    held = None if low is None else device_like(low, np.int64)
    return Column(device_like(data, data.dtype), device_like(valid, bool), held, bits)


def validity(column: pa.ChunkedArray, capacity: int) -> HostArray:
    """True where a value is not NULL; False in the slots after the last row."""
    if not column.null_count:
        return first_rows(len(column), capacity)
    return _filled(map(arrow.is_valid, column.chunks), np.bool_, capacity)


def first_rows(count: int, capacity: int) -> HostArray:
    """True in the first `count` of the slots."""
    buffer = _aligned(capacity, np.dtype(np.bool_))
    buffer[:count], buffer[count:] = True, False
    return buffer


def _filled(pieces: Iterable[HostArray], dtype: npt.DTypeLike, capacity: int) -> HostArray:
    """The pieces behind each other in one aligned buffer, zeros after them."""
    buffer, place = _aligned(capacity, np.dtype(dtype)), 0
    for piece in pieces:
        buffer[place : place + len(piece)] = piece
        place += len(piece)
    buffer[place:] = 0
    return buffer


def _aligned(capacity: int, dtype: np.dtype[Any]) -> HostArray:
    raw = np.empty(capacity * dtype.itemsize + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + capacity * dtype.itemsize].view(dtype)
