"""How many bytes the rows that a part of a plan loads are expected to take."""

from __future__ import annotations

from collections.abc import Mapping

from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Scan, Stored
from sqlax.compiler.plan.schema import Kind
from sqlax.runtime.memory import machine_bytes

_NUMBER = 8 + 3 * 9
"""Bytes of a number: in Arrow, on the host as the device wants it, there, and in operators."""
_TEXT = 48 + 3 * 5
"""Bytes of a text or another value that the device holds as a row number or a code."""
_LEAST, _MOST = 256, 1 << 22
"""Rows of a morsel."""


class Sizes:
    """Expected rows and bytes of scans.

    Args:
        catalog: asks DuckDB how many rows it expects.
        stored: rows of stages that are not stored yet, by name.
    """

    def __init__(self, catalog: Catalog, stored: Mapping[str, int] | None = None) -> None:
        self._catalog = catalog
        self._stored = stored or {}
        self._rows: dict[Scan, int] = {}

    def rows(self, scan: Scan) -> int:
        """Rows that a scan is expected to have; each scan is asked for once."""
        if scan not in self._rows:
            self._rows[scan] = self._count(scan)
        return self._rows[scan]

    def bytes(self, scan: Scan) -> int:
        """Bytes that a scan's rows are expected to take."""
        return self.rows(scan) * row_bytes(scan)

    def _count(self, scan: Scan) -> int:
        stored = [rows for name, rows in self._stored.items() if name in scan.sql]
        if stored:
            return max(stored)
        if isinstance(scan, Stored) and scan.stage in self._stored:
            return self._stored[scan.stage]
        expected = None if isinstance(scan, Stored) else self._catalog.expected_rows(scan.sql)
        if expected is not None:
            return expected
        ((rows,),) = self._catalog.rows(f"SELECT COUNT(*) FROM ({scan.sql}) AS t")
        return int(rows)


def row_bytes(scan: Scan) -> int:
    """Bytes that one row of a scan takes, on the host and on the device."""
    texts = (Kind.STRING, Kind.OPAQUE, Kind.MADE)
    return 1 + sum(_TEXT if f.kind in texts else _NUMBER for f in scan.schema.fields)


def morsel_rows(scan: Scan, room: int) -> int:
    """Rows of a scan that fit into some bytes: a power of two."""
    rows = max(1, room // row_bytes(scan))
    return min(max(_LEAST, 1 << rows.bit_length() - 1), _MOST)


def scans_of(plan: Node) -> tuple[Scan, ...]:
    """The scans of a plan, each once."""
    return tuple(dict.fromkeys(node for node in plan.walk() if isinstance(node, Scan)))


def default_budget() -> int:
    """Half of the machine's memory, in bytes."""
    return machine_bytes() // 2
