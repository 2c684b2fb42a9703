"""A part of a scan's rows that is loaded in the place of all of them, in the same shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

Bounds = tuple[np.int64, int]


@dataclass(frozen=True)
class Morsel:
    """What one table of a scan does not say by itself.

    Attributes:
        rows: rows that exist; those after them are padding.
        bounds: the low value and the bits of each number column over all morsels, where known.
        texts: the distinct texts of some columns over all morsels: one dictionary for all.
    """

    rows: int
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    texts: Mapping[str, pa.Array] = field(default_factory=dict)


def padded(table: pa.Table, rows: int) -> pa.Table:
    """The table with rows of NULLs after its own."""
    missing = rows - len(table)
    if not missing:
        return table
    nulls = [pa.nulls(missing, kind) for kind in table.schema.types]
    return pa.concat_tables([table, pa.table(nulls, schema=table.schema)])
