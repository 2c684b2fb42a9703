"""Arrow arrays as NumPy views of their buffers: what is read is not copied.

Values under a NULL are arbitrary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

HostArray = npt.NDArray[Any]


def is_valid(chunk: pa.Array) -> HostArray:
    """True where a value is not NULL."""
    valid: HostArray = pc.is_valid(chunk).to_numpy(zero_copy_only=False)
    return valid


def values(chunk: pa.Array) -> HostArray:
    """The numbers that an Arrow array holds.

    Booleans are bool; dates are days, timestamps and times of microseconds int64; decimals and
    128-bit integers their unscaled low 64 bits; dictionary arrays their indices.
    """
    kind = chunk.type
    if pa.types.is_dictionary(kind):
        return values(chunk.indices)
    if pa.types.is_boolean(kind):
        return _view(chunk.cast(pa.uint8()), np.uint8).view(np.bool_)
    if pa.types.is_decimal128(kind):
        return _view(chunk, np.int64, words=2)[0::2]
    return _view(chunk, _dtype(kind))


def beyond(chunk: pa.Array) -> HostArray | None:
    """Where `values` is not the whole value; None where it always is. NULLs are never meant."""
    kind = chunk.type
    if pa.types.is_uint64(kind):
        outside = _view(chunk, np.int64) < 0
    elif pa.types.is_decimal128(kind):
        words = _view(chunk, np.int64, words=2)
        outside = words[1::2] != words[0::2] >> 63
    else:
        return None
    wrong = outside & is_valid(chunk) if outside.any() else outside
    return wrong if wrong.any() else None


def ends(chunk: pa.Array) -> list[int]:
    """The least and the greatest of an array's integers; nothing where it has none."""
    data = values(chunk)
    present = data[is_valid(chunk)] if chunk.null_count else data
    return [int(present.min()), int(present.max())] if len(present) else []


def _dtype(kind: pa.DataType) -> npt.DTypeLike:
    """The NumPy type of a fixed-width Arrow type."""
    if pa.types.is_date32(kind):
        return np.int32
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return np.int64
    if pa.types.is_decimal(kind):
        return np.dtype(f"int{kind.bit_width}")
    return kind.to_pandas_dtype()  # type: ignore[no-any-return]


def _view(chunk: pa.Array, dtype: npt.DTypeLike, words: int = 1) -> HostArray:
    """The chunk's data buffer, `words` numbers of `dtype` for each value."""
    if not len(chunk):
        return np.zeros(0, dtype)
    size = np.dtype(dtype).itemsize * words
    buffer = chunk.buffers()[1]
    return np.frombuffer(buffer, dtype, len(chunk) * words, chunk.offset * size)
