"""Running a part of a plan in the memory it was given: at once, or divided and in morsels."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import jax
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.columns import Tables
from sqlax.compiler.plan.flow import computed_columns
from sqlax.compiler.plan.nodes import Scan
from sqlax.compiler.plan.schema import Kind
from sqlax.compiler.reading import read_scans, reading
from sqlax.compiler.report import RunReport, check_errors
from sqlax.compiler.streaming.answers import Left, since
from sqlax.compiler.streaming.division import Divider, Division
from sqlax.compiler.streaming.facts import Facts
from sqlax.compiler.streaming.size import Sizes, default_budget
from sqlax.compiler.streaming.spool import Spool
from sqlax.compiler.streaming.sums import joined, summed
from sqlax.runtime.load.morsel import Morsel, padded

if TYPE_CHECKING:
    from sqlax.compiler.execution import Execution
    from sqlax.compiler.outcome import OnProgress, Outcome

_BATCH = 1 << 16
"""Rows that DuckDB is asked for at once."""
_TEXT_BYTES = 64
"""Bytes for distinct texts for each row of a morsel: they are about as large as one."""


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
    outcomes = [*_run_morsels(execution, division, division.scan, on_progress)]
    table = pa.concat_tables([outcome.table for outcome in outcomes])
    streamed = execution.plan.scans.index(division.scan)
    report = summed([o.report for o in outcomes], streamed, time.perf_counter() - begin)
    check_errors(execution.plan.scores, report)
    return replace(outcomes[-1], table=table, report=report)


def _run_morsels(
    execution: Execution, division: Division, scan: Scan, on_progress: OnProgress | None
) -> Iterator[Outcome]:
    """The result of each morsel, until there are rows enough."""
    loaded, found = read_scans(execution.plan, without=scan), 0
    earlier: Left | None = None
    before: RunReport | None = None
    with Spool() as spool:
        facts = _spooled(execution, division, scan, spool)
        for table in spool.tables(division.rows):
            loaded = {**loaded, scan: padded(table, division.rows)}
            morsel = Morsel(len(table), facts.bounds, facts.texts)
            assembly = _following(execution, loaded, {scan: morsel}, earlier)
            outcome, left = execution.run_program(assembly, on_progress, earlier)
            report = since(outcome.report, before, left, earlier)
            check_errors(execution.plan.scores, report, is_whole=False)
            yield replace(outcome, report=report)
            earlier, before, found = left, outcome.report, found + len(outcome.table)
            if division.enough is not None and found >= division.enough:
                return


def _following(
    execution: Execution, tables: Tables, morsels: Mapping[Scan, Morsel], earlier: Left | None
) -> Assembly:
    """The next morsel, loaded: without what an earlier one has loaded already where that is so."""
    with jax.enable_x64(True):
        known = None if earlier is None else earlier.assembly.following(tables, morsels)
        return execution.assembly(tables, morsels) if known is None else known


def _spooled(execution: Execution, division: Division, scan: Scan, spool: Spool) -> Facts:
    """What is known of a scan's rows once they are on disk."""
    room = division.rows * _TEXT_BYTES
    facts = Facts(scan, _computed_texts(execution, scan), room)
    with reading(execution.plan, scan, _BATCH) as reader:
        spool.write(reader.schema, facts.watched(reader))
    return facts


def _computed_texts(execution: Execution, scan: Scan) -> list[str]:
    """The text columns of a scan whose values the graph computes with."""
    mapped = {site.map.expression for site in execution.map_sites()}
    computed = computed_columns(execution.plan.placed, mapped)
    return [
        name
        for origin, name in computed
        if origin == scan and scan.schema[name].kind is Kind.STRING
    ]
