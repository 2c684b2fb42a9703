"""What all morsels of a scan share: ranges of its numbers, and its distinct texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqlax.compiler.plan.nodes import Scan
from sqlax.compiler.plan.schema import Field, Kind
from sqlax.runtime.load import arrow
from sqlax.runtime.load.dictionary import distinct_texts
from sqlax.runtime.load.morsel import Bounds
from sqlax.runtime.relation import bounds_of

_UNBOUNDED = (Kind.FLOAT, Kind.STRING, Kind.OPAQUE, Kind.LABELS, Kind.MADE)


class Facts:
    """Collected batch by batch while the rows of a scan pass by.

    Args:
        scan: the scan.
        texts: names of the text columns whose values the graph computes with.
        room: most bytes of distinct texts; beyond them no text is remembered, and each morsel
            has a dictionary of its own.
    """

    def __init__(self, scan: Scan, texts: Collection[str], room: int) -> None:
        numbers = (f for f in scan.schema.fields if f.kind not in _UNBOUNDED)
        self._numbers: dict[Field, list[int]] = {field: [] for field in numbers}
        self._texts = {name: _Texts(room) for name in texts}

    def watched(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same batches, looked at while they pass."""
        for batch in batches:
            self._add(batch)
            yield batch

    def _add(self, batch: pa.RecordBatch) -> None:
        for field, ends in self._numbers.items():
            ends[:] = _ends(batch.column(field.name), ends)
        for name, texts in self._texts.items():
            texts.add(batch.column(name))

    @property
    def bounds(self) -> dict[str, Bounds]:
        """Bounds of the number columns that have some."""
        pairs = ((f.name, np.asarray(ends, np.int64)) for f, ends in self._numbers.items())
        found = ((name, bounds_of(ends, np.ones(len(ends), bool))) for name, ends in pairs)
        return {name: bounds for name, bounds in found if bounds is not None}

    @property
    def texts(self) -> dict[str, pa.Array]:
        """The distinct texts of the columns that had room for all of them."""
        found = ((name, texts.distinct()) for name, texts in self._texts.items())
        return {name: values for name, values in found if values is not None}


class _Texts:
    """Distinct texts of one column; what is new is merged when there is as much of it again."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._held: list[pa.Array] | None = [pa.array([], pa.large_string())]
        self._merged = self._count = 0

    def add(self, column: pa.Array) -> None:
        if self._held is None:
            return
        self._held.append(distinct_texts(column))
        self._count += len(self._held[-1])
        if self._count > 2 * self._merged:
            self._merge()

    def distinct(self) -> pa.Array | None:
        self._merge()
        return None if self._held is None else self._held[0]

    def _merge(self) -> None:
        if self._held is None:
            return
        values = pc.unique(pa.chunked_array(self._held, pa.large_string()))
        self._held = None if values.nbytes > self._room else [values]
        self._merged = self._count = len(values)


def _ends(column: pa.Array, known: list[int]) -> list[int]:
    """The least and the greatest of some numbers and those known before."""
    if arrow.beyond(column) is not None:
        return known  # the load reports it
    found = [*known, *arrow.ends(column)]
    return [min(found), max(found)] if found else []
