"""Times of a compiled query: the first run apart, then the median of warm runs."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlax.compiled import CompiledQuery
from sqlax.compiler.report import RunReport


@dataclass(frozen=True)
class Timing:
    """A query's rows and what its runs took.

    Attributes:
        rows: the rows of the last run.
        report: what the last run did.
        runs: seconds of each warm run, from the call to the fetched rows.
        first_seconds: seconds of the run before them: planning, compiling and running.
        compile_seconds: of those, seconds spent tracing and compiling.
        traces: how often that run traced.
        warm_traces: how often a warm run traced; 0 unless the data grew.
    """

    rows: list[tuple[Any, ...]]
    report: RunReport
    runs: tuple[float, ...]
    first_seconds: float
    compile_seconds: float
    traces: int
    warm_traces: int

    @property
    def seconds(self) -> float:
        """The median of the warm runs."""
        return statistics.median(self.runs)


def time_query(
    query: CompiledQuery,
    repeats: int,
    between: Callable[[], None] | None = None,
    **parameters: Any,
) -> Timing:
    """Run a query once, then `repeats` times.

    Args:
        query: the query; its first run compiles what is not compiled yet.
        repeats: number of warm runs.
        between: called before and after each warm run, outside the measured time.
        **parameters: values of the query's parameters.
    """
    first, report, rows = _run(query, parameters)
    compiling, traces, warm_traces, runs = report.compile_seconds, report.traces, 0, []
    for _ in range(repeats):
        _pause(between)
        seconds, report, rows = _run(query, parameters)
        runs.append(seconds)
        warm_traces += report.traces
    _pause(between)
    return Timing(rows, report, tuple(runs), first, compiling, traces, warm_traces)


def _run(
    query: CompiledQuery, parameters: dict[str, Any]
) -> tuple[float, RunReport, list[tuple[Any, ...]]]:
    begin = time.perf_counter()
    result = query.run(**parameters)
    rows = result.fetchall()
    return time.perf_counter() - begin, result.report, rows


def _pause(between: Callable[[], None] | None) -> None:
    if between is not None:
        between()
