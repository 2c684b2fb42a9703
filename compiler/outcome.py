"""What running a query gives: its rows, and what they took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sqlax.compiler.plan.output import Output
from sqlax.compiler.report import RunReport
from sqlax.runtime.program import Progress

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """A query's result and what it took.

    Attributes:
        table: the result; DuckDB casts it to the exact SQL types.
        outputs: the result columns over the table's columns c0, c1, ...
        report: what each operator did.
    """

    table: pa.Table
    outputs: tuple[Output, ...]
    report: RunReport


def as_loaded(table: pa.Table, outputs: tuple[Output, ...], seconds: float) -> Outcome:
    """The outcome of a query that DuckDB answered whole."""
    numbered = table.rename_columns([f"c{place}" for place in range(table.num_columns)])
    return Outcome(numbered, outputs, RunReport((), (len(table),), 0, seconds, 0.0, 0))
