"""What EXPLAIN says of a part that does not fit the memory it was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqlax.compiler.plan.nodes import Node, Scan
from sqlax.compiler.streaming.division import Division
from sqlax.compiler.streaming.run import divided
from sqlax.compiler.streaming.size import Sizes, scans_of

if TYPE_CHECKING:
    from sqlax.compiler.execution import Execution


def streaming_lines(execution: Execution, stored: Mapping[str, int]) -> Iterator[str]:
    """A line for the scan that comes in morsels, and one where DuckDB gets more to do.

    Args:
        execution: the part.
        stored: expected rows of the stages before it, by name.
    """
    sizes = Sizes(execution.plan.catalog, stored)
    division = divided(execution, sizes)
    if not division.is_whole and division.scan is None:
        yield from streaming_lines(_first(execution, division.plan), stored)
        return
    if not {*scans_of(division.plan)} <= {*execution.plan.scans}:
        yield "DUCKDB runs what the memory budget does not hold"
    if division.scan is not None:
        yield _streamed(division, division.scan, sizes.rows(division.scan))


def _streamed(division: Division, scan: Scan, rows: int) -> str:
    morsels = max(1, -(-rows // division.rows))
    last = type(division.plan).__name__.upper()
    what = f"~{rows:,} rows in ~{morsels:,} morsels of {division.rows:,} up to {last}"
    return f"STREAMED {what}: {scan.sql}"


def _first(execution: Execution, plan: Node) -> Execution:
    return execution.over(plan, (), execution.depth + 1)
