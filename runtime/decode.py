"""Result columns from device arrays to Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.load.dictionary import StringDictionary


@dataclass(frozen=True)
class OutputColumn:
    """How one result column is held.

    Attributes:
        kind: name of the device kind.
        scale: digits after the point of a DECIMAL.
        source: where the column is carried from: the loaded Arrow column that its data indexes.
        labels: texts of a set of labels, or of an ENUM in its order.
    """

    kind: str
    scale: int = 0
    source: pa.ChunkedArray | None = None
    labels: tuple[str, ...] = ()


def arrow_column(
    column: OutputColumn, data: HostArray, valid: HostArray, dictionary: StringDictionary
) -> pa.Array:
    """One result column; DuckDB casts it to the exact SQL type afterwards. Cost: O(rows)."""
    if column.source is not None:
        return _taken(column.source, data, valid)
    if column.kind == "string":
        return _taken(dictionary.values, data, valid)
    if column.kind == "enum":
        return _taken(pa.array(column.labels, pa.string()), data, valid)
    if column.kind == "labels":
        return _label_sets(column.labels, data, valid)
    if column.kind == "decimal":
        return _decimals(data, valid, column.scale)
    made = _MADE.get(column.kind)
    return pa.array(data, mask=~valid) if made is None else made(data, valid)


def _taken(source: pa.Array | pa.ChunkedArray, data: HostArray, valid: HostArray) -> pa.Array:
    """The source's values at `data`."""
    taken = source.take(pa.array(data, pa.int64(), mask=~valid))
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken


def _label_sets(labels: Sequence[str], data: HostArray, valid: HostArray) -> pa.Array:
    """Sets of labels, bit by bit in the order of the labels."""
    bits = (data.astype(np.int64)[:, None] >> np.arange(len(labels))) & 1
    member = bits.astype(bool) & valid[:, None]
    ends = np.concatenate([[0], np.cumsum(member.sum(axis=1))]).astype(np.int32)
    texts = pa.array(labels, pa.string()).take(pa.array(np.nonzero(member)[1]))
    missing = pa.array(~valid) if not valid.all() else None
    return pa.ListArray.from_arrays(pa.array(ends), texts, mask=missing)


def _decimals(data: HostArray, valid: HostArray, scale: int) -> pa.Array:
    """Scaled int64 as 128-bit decimals: the high word repeats the sign."""
    words = np.empty((len(data), 2), np.int64)
    words[:, 0] = data
    words[:, 1] = data >> 63
    known = None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    buffers = [known, pa.py_buffer(words)]
    return pa.Array.from_buffers(pa.decimal128(38, scale), len(valid), buffers)


def _dates(data: HostArray, valid: HostArray) -> pa.Array:
    return pa.array(data.astype(np.int32), pa.int32(), mask=~valid).cast(pa.date32())


def _timestamps(data: HostArray, valid: HostArray) -> pa.Array:
    return pa.array(data, pa.int64(), mask=~valid).cast(pa.timestamp("us"))


def _instants(data: HostArray, valid: HostArray) -> pa.Array:
    return pa.array(data, pa.int64(), mask=~valid).cast(pa.timestamp("us", "UTC"))


def _times(data: HostArray, valid: HostArray) -> pa.Array:
    return pa.array(data, pa.int64(), mask=~valid).cast(pa.time64("us"))


_MADE: dict[str, Callable[[HostArray, HostArray], pa.Array]] = {
    "date": _dates,
    "timestamp": _timestamps,
    "instant": _instants,
    "time": _times,
}
