"""Reports of parts and morsels as the report of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlax.compiler.query import QueryPlan
from sqlax.compiler.report import OperatorReport, RunReport

_MOST_FAILURES = 100


def summed(reports: Sequence[RunReport], streamed: int, seconds: float) -> RunReport:
    """The report of all morsels of one program.

    Args:
        reports: of the morsels, in order.
        streamed: number of the scan that came in morsels; the others were loaded once.
        seconds: what all of it took.
    """
    scanned = list(reports[0].scanned)
    scanned[streamed] = sum(report.scanned[streamed] for report in reports)
    operators = zip(*(report.operators for report in reports), strict=True)
    whole = replace(
        reports[-1],
        operators=tuple(_operator(parts) for parts in operators),
        scanned=tuple(scanned),
    )
    return _totals(whole, reports, seconds)


def numbered(report: RunReport, seen: Sequence[int]) -> RunReport:
    """A morsel's report with the numbers that failing rows have among those of all morsels.

    Args:
        report: of the morsel.
        seen: rows that each operator was given before it.
    """
    pairs = zip(report.operators, seen, strict=True)
    return replace(report, operators=tuple(_numbered(*pair) for pair in pairs))


def _numbered(operator: OperatorReport, seen: int) -> OperatorReport:
    failures = (replace(failure, row=failure.row + seen) for failure in operator.failures)
    return replace(operator, failures=tuple(failures))


def joined(
    plan: QueryPlan, parts: Sequence[tuple[QueryPlan, RunReport]], seconds: float
) -> RunReport:
    """The report of a plan whose parts were run one after the other.

    Scans and operators are those of the plan; rows of what a part had stored do not count.
    """
    scanned = {s: n for part, done in parts for s, n in zip(part.scans, done.scanned, strict=True)}
    operators = {o.name: o for _, done in parts for o in done.operators}
    reports = [report for _, report in parts]
    whole = replace(
        reports[-1],
        operators=tuple(operators[score.name] for score in plan.scores),
        scanned=tuple(scanned.get(scan, 0) for scan in plan.scans),
    )
    return _totals(whole, reports, seconds)


def _totals(whole: RunReport, parts: Sequence[RunReport], seconds: float) -> RunReport:
    return replace(
        whole,
        steps=sum(part.steps for part in parts),
        seconds=seconds,
        compile_seconds=sum(part.compile_seconds for part in parts),
        traces=sum(part.traces for part in parts),
    )


def _operator(parts: Sequence[OperatorReport]) -> OperatorReport:
    """What one operator did in all morsels."""
    return replace(
        parts[0],
        rows=sum(part.rows for part in parts),
        calls=sum(part.calls for part in parts),
        tokens=sum(part.tokens for part in parts),
        reused=sum(part.reused for part in parts),
        failed=sum(part.failed for part in parts),
        failures=tuple(f for part in parts for f in part.failures)[:_MOST_FAILURES],
        inputs=sum(part.inputs for part in parts),
    )
