"""Result columns from device arrays to Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import pyarrow as pa

from sqlax.runtime.load.columns import HostArray
from sqlax.runtime.load.dictionary import StringDictionary


@dataclass(frozen=True)
class OutputColumn:
    """How one result column is held.

    Attributes:
        kind: name of the device kind.
        scale: digits after the point of a DECIMAL.
        source: where the column is carried from: the loaded Arrow column that its data indexes.
        labels: label texts of a set of labels.
    """

    kind: str
    scale: int = 0
    source: pa.ChunkedArray | None = None
    labels: tuple[str, ...] = ()


def arrow_column(
    column: OutputColumn, data: HostArray, valid: HostArray, dictionary: StringDictionary
) -> pa.Array:
    """One result column; DuckDB casts it to the exact SQL type afterwards."""
    if column.source is not None:
        return _carried(column.source, data, valid)
    if column.kind == "labels":
        return _label_sets(column.labels, data, valid)
    if column.kind == "string":
        codes = np.where(valid, data, 0) if len(dictionary) else data
        index = pa.array(codes, pa.int32(), mask=~valid)
        return dictionary.values.take(index)
    if column.kind == "decimal":
        return _decimals(data, valid, column.scale)
    if column.kind == "date":
        return pa.array(data.astype(np.int32), pa.int32(), mask=~valid).cast(pa.date32())
    if column.kind == "timestamp":
        return pa.array(data, pa.int64(), mask=~valid).cast(pa.timestamp("us"))
    return pa.array(data, mask=~valid)


def _carried(source: pa.ChunkedArray, data: HostArray, valid: HostArray) -> pa.Array:
    taken = source.take(pa.array(np.where(valid, data, 0), pa.int64(), mask=~valid))
    return taken.combine_chunks() if isinstance(taken, pa.ChunkedArray) else taken


def _label_sets(labels: Sequence[str], data: HostArray, valid: HostArray) -> pa.Array:
    sets = [
        [label for bit, label in enumerate(labels) if int(bits) >> bit & 1] if known else None
        for bits, known in zip(data, valid, strict=True)
    ]
    return pa.array(sets, pa.list_(pa.string()))


def _decimals(data: HostArray, valid: HostArray, scale: int) -> pa.Array:
    values = [
        Decimal(int(value)).scaleb(-scale) if known else None
        for value, known in zip(data, valid, strict=True)
    ]
    return pa.array(values, pa.decimal128(38, scale))
