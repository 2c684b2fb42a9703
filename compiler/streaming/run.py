"""Running a part of a plan in the memory it was given: at once, or divided and in morsels."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from sqlax.compiler.report import check_errors
from sqlax.compiler.streaming.division import Divider, Division
from sqlax.compiler.streaming.morsels import run_morsels
from sqlax.compiler.streaming.size import Sizes, default_budget
from sqlax.compiler.streaming.sums import joined, summed

if TYPE_CHECKING:
    from sqlax.compiler.execution import Execution
    from sqlax.compiler.outcome import OnProgress, Outcome


def divided(execution: Execution, sizes: Sizes | None = None) -> Division:
    """What of a part is run first.

    Args:
        execution: the part.
        sizes: expected rows; DuckDB is asked where not given.
    """
    plan = execution.plan
    budget = default_budget() if execution.memory_budget is None else execution.memory_budget
    known = Sizes(plan.catalog) if sizes is None else sizes
    depth = execution.depth + 1
    return Divider(plan.catalog, plan.mode, budget, known, depth).divide(plan.placed)


def run_divided(execution: Execution, on_progress: OnProgress | None) -> Outcome:
    """One part of a query: what is too large is run first, in morsels, then what is above it."""
    division = divided(execution)
    outputs, depth = execution.plan.outputs, execution.depth + 1
    begin = time.perf_counter()
    if division.is_whole:
        whole = execution.over(division.plan, outputs, execution.depth)
        done = whole.run_whole(on_progress)
        return done if whole is execution else _joined(execution, begin, (whole, done))
    is_last = division.above is None or division.store is None
    first = execution.over(division.plan, outputs if is_last else (), depth)
    done = _run_first(first, division, on_progress)
    if division.above is None or division.store is None:
        return done if first is execution else _joined(execution, begin, (first, done))
    above = execution.over(division.above, outputs, depth)
    with _registered(execution, division.store.name, done.table):
        last = run_divided(above, on_progress)
    return _joined(execution, begin, (first, done), (above, last))


def _joined(execution: Execution, begin: float, *parts: tuple[Execution, Outcome]) -> Outcome:
    """The last part's outcome with the report of all of them."""
    reports = [(part.plan, outcome.report) for part, outcome in parts]
    report = joined(execution.plan, reports, time.perf_counter() - begin)
    return replace(parts[-1][1], report=report)


@contextmanager
def _registered(execution: Execution, name: str, table: pa.Table) -> Iterator[None]:
    """The rows under a name."""
    connection = execution.plan.catalog.connection
    connection.register(name, table)
    try:
        yield
    finally:
        connection.unregister(name)


def _run_first(execution: Execution, division: Division, on_progress: OnProgress | None) -> Outcome:
    if division.scan is None:
        return run_divided(execution, on_progress)
    begin = time.perf_counter()
    outcomes = [*run_morsels(execution, division, division.scan, on_progress)]
    table = pa.concat_tables([outcome.table for outcome in outcomes])
    streamed = execution.plan.scans.index(division.scan)
    report = summed([o.report for o in outcomes], streamed, time.perf_counter() - begin)
    check_errors(execution.plan.scores, report)
    return replace(outcomes[-1], table=table, report=report)
