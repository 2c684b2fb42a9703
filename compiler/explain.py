"""EXPLAIN: the plan, what DuckDB runs, and estimated rows, calls, tokens, FLOPs and bytes.

EXPLAIN ANALYZE prints what a run did beside what was estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from sqlax.compiler.estimate import Cost, Estimator
from sqlax.compiler.execution import Execution
from sqlax.compiler.plan.nodes import Node, Scan, Score
from sqlax.compiler.plan.text import node_text, plan_text, prompt_text
from sqlax.compiler.query import QueryPlan, asks_model
from sqlax.compiler.report import OperatorReport, RunReport
from sqlax.compiler.streaming.explain import streaming_lines


@dataclass(frozen=True)
class Part:
    """One program of a query: its name, empty for the last one, and what is expected of it.

    `streaming` says what of it comes in morsels.
    """

    name: str
    reason: str
    plan: QueryPlan
    estimator: Estimator
    streaming: tuple[str, ...] = ()


def parts_of(execution: Execution) -> tuple[Part, ...]:
    """The stages of a query in the order in which they run."""
    stored: dict[str, int] = {}
    parts = []
    for stage in execution.plan.stages:
        part = execution.part(stage)
        estimator, streaming = Estimator(part, dict(stored)), (*streaming_lines(part, stored),)
        stored[stage.name] = estimator.rows(stage.plan)
        parts.append(Part(stage.name, stage.reason, part.plan, estimator, streaming))
    streaming = (*streaming_lines(execution, stored),)
    return (*parts, Part("", "", execution.plan, Estimator(execution, stored), streaming))


def whole_cost(parts: tuple[Part, ...]) -> Cost:
    """What all parts are expected to take together."""
    costs = [part.estimator.cost() for part in parts]
    return Cost(*(sum(getattr(c, f.name) for c in costs) for f in fields(Cost)))


def explain_text(
    execution: Execution, report: RunReport | None = None, *, verbose: bool = False
) -> str:
    """The text of EXPLAIN; with a run's report that of EXPLAIN ANALYZE.

    Args:
        execution: the planned query.
        report: what a run did.
        verbose: add the plan after each rule that changed it.
    """
    parts = parts_of(execution)
    reports = [*report.stages, report] if report else [None] * len(parts)
    lines = [
        line for part, done in zip(parts, reports, strict=True) for line in _part_lines(part, done)
    ]
    lines.append(_totals(whole_cost(parts), report))
    if verbose:
        log = execution.plan.log
        lines += [f"-- {a.rule} ({a.seconds * 1e3:.1f} ms)\n{plan_text(a.plan)}" for a in log]
    return "\n".join(lines)


def _part_lines(part: Part, report: RunReport | None) -> list[str]:
    """The plan of one program; that of a stage says why it is one."""
    done = {operator.name: operator for operator in report.operators} if report else {}
    scans = part.plan.scans
    head = [f"STAGE {part.name}: DuckDB runs what follows ({part.reason})"] if part.name else []
    text = plan_text(
        part.plan.placed, lambda node: _line(node, part.estimator, done, report, scans)
    )
    return [*head, *part.streaming, text]


def _line(
    node: Node,
    estimator: Estimator,
    done: Mapping[str, OperatorReport],
    report: RunReport | None,
    scans: tuple[Scan, ...],
) -> str:
    if isinstance(node, Score) and asks_model(node):
        return _score_line(node, estimator, done.get(node.name))
    rows = f"~{estimator.rows(node):,} rows"
    if isinstance(node, Scan):
        actual = f", {report.scanned[scans.index(node)]:,} read" if report else ""
        return f"DUCKDB [{rows}{actual}] {node.sql}"
    return f"{node_text(node)} [{rows}]"


def _score_line(node: Score, estimator: Estimator, done: OperatorReport | None) -> str:
    guess = estimator.score(node)
    call = node.call
    text = f"{call.function.value} {node.name} {prompt_text(call)!r}"
    if call.labels:
        text += f" -> {', '.join(label.text for label in call.labels)}"
    if node.guard is not None:
        text += f" WHERE {node.guard.sql('duckdb')}"
    numbers = (
        f"~{estimator.rows(node):,} rows, ~{guess.calls:,} calls, ~{guess.tokens:,} tokens, "
        f"~{guess.flops / 1e9:,.1f} GFLOP, ~{guess.bytes / 1e6:,.1f} MB"
    )
    if done is None:
        return f"{text} [{numbers}]"
    failed = f", {done.failed:,} failed" if done.failed else ""
    written = f", {done.written}" if done.written else ""
    actual = f"{done.calls:,} calls, {done.tokens:,} tokens, {done.reused:,} reused"
    actual += f"{written}{failed}"
    return f"{text} [{numbers} | actual {done.rows:,} rows, {actual}]"


def _totals(cost: Cost, report: RunReport | None) -> str:
    text = (
        f"estimated: {cost.rows:,} rows read, {cost.calls:,} calls, {cost.tokens:,} tokens, "
        f"{cost.flops / 1e9:,.1f} GFLOP, {cost.bytes / 1e6:,.0f} MB"
    )
    if report is None:
        return text
    return (
        f"{text}\nactual: {_scanned(report):,} rows read, {report.calls:,} calls, "
        f"{report.tokens:,} tokens, {report.reused:,} reused, {report.steps:,} morsels, "
        f"{report.seconds:.2f} s of which {report.compile_seconds:.2f} s compiling"
    )


def _scanned(report: RunReport) -> int:
    return sum(sum(part.scanned) for part in (*report.stages, report))
