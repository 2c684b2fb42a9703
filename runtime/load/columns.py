"""Arrow columns as padded NumPy arrays of the device's dtypes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from jaxtyping import Array

from sqlax.errors import DataError
from sqlax.runtime.relation import Column

HostArray = npt.NDArray[Any]


def device_like(values: Any, dtype: npt.DTypeLike) -> Array:
    """A NumPy array in the place of a device array, until `jax.device_put` moves the whole tree."""
    return cast("Array", np.asarray(values, dtype))


def host_column(data: HostArray, valid: HostArray, capacity: int) -> Column:
    """A column of NumPy arrays padded with zeros to `capacity`."""
    padding = (0, capacity - len(data))
    return Column(
        device_like(np.pad(data, padding), data.dtype), device_like(np.pad(valid, padding), bool)
    )


def validity(column: pa.ChunkedArray) -> HostArray:
    """True where a value is not NULL."""
    valid: HostArray = pc.is_valid(column).to_numpy()
    return valid


def numbers(column: pa.ChunkedArray, kind: str, scale: int) -> HostArray:
    """The values as bool, int64 or float64; anything where NULL.

    Args:
        column: BOOLEAN, integers, floats, DATE, TIMESTAMP or DECIMAL.
        kind: the device kind's name.
        scale: digits after the point of a DECIMAL, which becomes a scaled int64.

    Raises:
        DataError: a DECIMAL or HUGEINT does not fit 64 bits.
    """
    if kind == "decimal" or pa.types.is_decimal(column.type):
        return _scaled(column, scale)
    if kind == "date":
        return _filled(column.cast(pa.int32()), 0).astype(np.int64)
    if kind == "timestamp":
        return _filled(column.cast(pa.timestamp("us")).cast(pa.int64()), 0)
    if kind == "boolean":
        return _filled(column, False).astype(bool)
    return _filled(column, 0).astype(np.float64 if kind == "float" else np.int64)


def _filled(column: pa.ChunkedArray, value: Any) -> HostArray:
    filled: HostArray = pc.fill_null(column, pa.scalar(value, column.type)).to_numpy()
    return filled


def _scaled(column: pa.ChunkedArray, scale: int) -> HostArray:
    """Decimals as integers: the unscaled value, which Arrow holds in 128 bits."""
    factor = Decimal(10) ** scale
    scaled = [0 if v is None else int(v * factor) for v in column.to_pylist()]
    if any(abs(value) >= 1 << 63 for value in scaled):
        raise DataError("a DECIMAL or HUGEINT value does not fit 64 bits")
    return np.asarray(scaled, np.int64)
