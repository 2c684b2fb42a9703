"""Running the morsels of one scan one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import jax
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.plan.flow import computed_columns
from sqlax.compiler.plan.nodes import Scan
from sqlax.compiler.plan.schema import Kind
from sqlax.compiler.reading import read_scans, reading
from sqlax.compiler.report import RunReport, check_errors
from sqlax.compiler.streaming.answers import Left, since
from sqlax.compiler.streaming.division import Division
from sqlax.compiler.streaming.facts import Facts
from sqlax.compiler.streaming.spool import Spool
from sqlax.compiler.streaming.sums import numbered
from sqlax.runtime.load.morsel import Morsel, padded

if TYPE_CHECKING:
    from sqlax.compiler.execution import Execution
    from sqlax.compiler.outcome import OnProgress, Outcome

_BATCH = 1 << 16
"""Rows that DuckDB is asked for at once."""
_TEXT_BYTES = 64
"""Bytes for distinct texts for each row of a morsel: they are about as large as one."""


def run_morsels(
    execution: Execution, division: Division, scan: Scan, on_progress: OnProgress | None
) -> Iterator[Outcome]:
    """The result of each morsel, until there are rows enough; at least one.

    Args:
        execution: of the division's plan.
        division: how many rows a morsel has, and how many result rows are enough.
        scan: the scan that comes in morsels; the others are loaded once.
        on_progress: told after each slice.

    Raises:
        DataError, RowError: as a run of the whole plan does.
        CapacityError: there is no room on disk for the scan's rows.
    """
    runner, found = _Runner(execution, scan, division.rows), 0
    with Spool() as spool:
        facts = _spooled(execution, division, scan, spool)
        for table in spool.tables(division.rows):
            outcome = runner.run(table, facts, on_progress)
            yield outcome
            found += len(outcome.table)
            if division.enough is not None and found >= division.enough:
                return


class _Runner:
    """Runs each morsel with what is left of the one before it."""

    def __init__(self, execution: Execution, scan: Scan, rows: int) -> None:
        self._execution, self._scan, self._rows = execution, scan, rows
        self._beside = read_scans(execution.plan, without=scan)
        self._left: Left | None = None
        self._before: RunReport | None = None
        self._seen: tuple[int, ...] = (0,) * len(execution.plan.scores)

    def run(self, table: pa.Table, facts: Facts, on_progress: OnProgress | None) -> Outcome:
        """The result of one morsel; its report counts only what it did."""
        assembly = self._assembly(table, facts)
        outcome, left = self._execution.run_program(assembly, on_progress, self._left)
        report = numbered(since(outcome.report, self._before, left, self._left), self._seen)
        check_errors(self._execution.plan.scores, report, is_whole=False)
        pairs = zip(self._seen, report.operators, strict=True)
        self._seen = tuple(seen + operator.inputs for seen, operator in pairs)
        self._left, self._before = left, outcome.report
        return replace(outcome, report=report)

    def _assembly(self, table: pa.Table, facts: Facts) -> Assembly:
        """The morsel, loaded: without what is left of an earlier one where that is so."""
        tables = {**self._beside, self._scan: padded(table, self._rows)}
        morsels = {self._scan: Morsel(len(table), facts.bounds, facts.texts)}
        with jax.enable_x64(True):
            known = None if self._left is None else self._left.assembly.following(tables, morsels)
            return self._execution.assembly(tables, morsels) if known is None else known


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
    names = (name for origin, name in computed if origin == scan)
    return [name for name in names if scan.schema[name].kind is Kind.STRING]
