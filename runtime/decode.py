"""Result columns from device arrays to Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlax.runtime.lists import Lists
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


def arrow_lists(
    column: OutputColumn,
    lists: Lists,
    number: HostArray,
    valid: HostArray,
    dictionary: StringDictionary,
) -> pa.Array:
    """Lists by their numbers, as Arrow's LIST of the values' type; NULL where not `valid`.

    Args:
        column: how the values are held.
        lists: what the numbers stand for.
        number: a list's number in each row, int32.
        valid: rows that have a list.
        dictionary: the texts of the run.

    Cost: O(values of the lists that are asked for).
    """
    number = np.where(valid, number, 0)
    start = np.asarray(lists.start)[number].astype(np.int64)
    length = np.where(valid, np.asarray(lists.length)[number], 0).astype(np.int64)
    ends = np.concatenate([[0], np.cumsum(length)])
    place = np.repeat(start - ends[:-1], length) + np.arange(ends[-1])
    data, known = np.asarray(lists.values.data)[place], np.asarray(lists.values.valid)[place]
    values = arrow_column(column, data, known, dictionary)
    missing = None if valid.all() else pa.array(~valid)
    return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), values, mask=missing)


def joined_texts(lists: pa.Array, separator: str | None) -> pa.Array:
    """Each list's values as one text; NULL where there is no list or no separator."""
    if separator is None:
        return pa.nulls(len(lists), pa.large_string())
    text = pa.large_string()
    texts = pa.ListArray.from_arrays(lists.offsets.cast(pa.int32()), lists.values.cast(text))
    joined = pc.binary_join(texts, pa.scalar(separator, text))
    return pc.if_else(lists.is_valid(), joined, pa.scalar(None, text))


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
