"""A scan's rows as the device holds them, each column as narrow as its bounds allow."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.environment import dtype_of_kind
from sqlax.compiler.plan.nodes import Scan
from sqlax.compiler.plan.schema import Field, Kind
from sqlax.runtime.load import arrow
from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.load.columns import (
    check_fits,
    column_bounds,
    device_like,
    narrow_column,
    validity,
)
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.load.morsel import Bounds, Morsel
from sqlax.runtime.narrow import NarrowColumn, NarrowRelation
from sqlax.runtime.relation import bounds_of, bucket

_LARGE = 1 << 18
"""Row slots from which on a column without NULLs has no mask: reading one would take time."""


@dataclass(frozen=True)
class ScanLoad:
    """What the columns of a scan are loaded from.

    Attributes:
        scan: the scan.
        table: its rows.
        morsel: what the table does not say by itself, where it is one of many.
        dictionary: the run's texts.
        encoded: the text columns that are held as codes, with their distinct values apart.
        carried: the columns that are held as row numbers.
        capacity: row slots.
    """

    scan: Scan
    table: pa.Table
    morsel: Morsel | None
    dictionary: StringDictionary
    encoded: Mapping[str, pa.ChunkedArray]
    carried: Collection[str]
    capacity: int

    def relation(self) -> NarrowRelation:
        """The rows on the host.

        Raises:
            OutsideGraphError: a number does not fit 64 bits.
        """
        rows = len(self.table) if self.morsel is None else self.morsel.rows
        columns = {field.name: self._column(field) for field in self.scan.schema.fields}
        return NarrowRelation(columns, device_like(rows, np.int32), self.capacity)

    def _column(self, field: Field) -> NarrowColumn:
        column, dtype = self.table.column(field.name), dtype_of_kind(field.kind)
        valid = self._validity(column)
        if field.name in self.carried:
            return narrow_column([np.arange(len(column))], valid, np.int32, self.capacity)
        if field.kind is Kind.STRING:
            codes = self.dictionary.codes(self.encoded[field.name])
            bounds = self._code_bounds(codes, validity(column, len(column)))
            return narrow_column([codes], valid, dtype, self.capacity, bounds)
        check_fits(column)
        pieces = map(arrow.values, column.chunks)
        return narrow_column(pieces, valid, dtype, self.capacity, self._number_bounds(field))

    def _validity(self, column: pa.ChunkedArray) -> HostArray | None:
        """Which values there are; None for a large column without NULLs that is all in one table.

        A program for columns without a mask cannot run over those with one, so whether there is
        a mask may not change from morsel to morsel, nor by a few rows that are cheap to mask.
        """
        complete = not column.null_count and self.morsel is None
        return None if complete and self.capacity >= _LARGE else validity(column, self.capacity)

    def _code_bounds(self, codes: HostArray, valid: HostArray) -> Bounds | None:
        """The bounds of codes; of every code that a dictionary of this capacity has in a morsel."""
        if self.morsel is None:
            return bounds_of(codes, valid)
        return bounds_of(np.asarray([0, bucket(len(self.dictionary)) - 1]), np.ones(2, bool))

    def _number_bounds(self, field: Field) -> Bounds | None:
        """The bounds of a column of numbers, over all morsels where there are some."""
        if field.kind is Kind.FLOAT:
            return None
        if self.morsel is not None:
            return self.morsel.bounds.get(field.name)
        return column_bounds(self.table.column(field.name))
