"""What EXPLAIN says of a part that does not fit the memory it was given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.streaming.run import divided
from sqlax.compiler.streaming.size import Sizes

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
    if division.scan is not None:
        rows = sizes.rows(division.scan)
        morsels = max(1, -(-rows // division.rows))
        what = f"~{rows:,} rows in ~{morsels:,} morsels of {division.rows:,}"
        yield f"STREAMED {what} up to {_title(division.plan)}: {division.scan.sql}"
    elif not division.is_whole:
        yield from streaming_lines(_first(execution, division.plan), stored)
    elif division.plan != execution.plan.placed:
        yield "DUCKDB runs what does not fit the memory budget"


def _first(execution: Execution, plan: Node) -> Execution:
    return execution.over(plan, (), execution.depth + 1)


def _title(node: Node) -> str:
    return type(node).__name__.upper()
