"""EXPLAIN: the plan, what DuckDB runs, and estimated rows, calls, tokens, FLOPs and bytes.

EXPLAIN ANALYZE prints what a run did beside what was estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.prompts import lay_out, row_values
from sqlax.compiler.plan.catalog import used_parameters
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.nodes import Aggregate, Filter, Limit, Node, Scan, Score
from sqlax.compiler.plan.text import node_text, plan_text, prompt_text
from sqlax.compiler.query import asks_model
from sqlax.compiler.report import OperatorReport, RunReport
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.score.layout import PromptLayout, Text

_SAMPLE = 200
_PASSING = 0.5
"""Share of rows a condition on a model's answer is taken to let through."""


@dataclass(frozen=True)
class Estimate:
    """What a semantic operator is expected to do, or did.

    Attributes:
        calls: distinct prompts.
        tokens: tokens through the model.
        flops: floating-point operations of the model's linear layers.
        bytes: key-value state of the prefix and of one row, and label scores.
    """

    calls: int
    tokens: int
    flops: int
    bytes: int


@dataclass(frozen=True)
class Cost:
    """What one run of a query is expected to take.

    Attributes:
        rows: rows that DuckDB hands over.
        calls: distinct prompts put to models.
        tokens: tokens through models.
        flops: floating-point operations of the models' linear layers.
        bytes: memory of weights, columns, token pools and key-value state.
    """

    rows: int
    calls: int
    tokens: int
    flops: int
    bytes: int


class Estimator:
    """Counts and samples the data of a query, without asking a model."""

    def __init__(self, execution: Execution) -> None:
        self._plan = execution.plan
        self._models = execution.models
        self._counts: dict[Scan, int] = {}

    def rows(self, node: Node) -> int:
        """Expected output rows: exact for scans, half of what a semantic condition sees."""
        if isinstance(node, Scan):
            if node not in self._counts:
                self._counts[node] = int(self._one(f"SELECT COUNT(*) FROM ({node.sql}) AS t"))
            return self._counts[node]
        if isinstance(node, Aggregate) and not node.keys:
            return 1
        below = [self.rows(child) for child in node.inputs]
        if isinstance(node, Filter):
            return max(1, round(below[0] * _PASSING)) if below[0] else 0
        if isinstance(node, Limit) and node.count is not None:
            return min(node.count, below[0])
        return max(below)

    def score(self, node: Score) -> Estimate:
        """Calls from distinct texts, tokens from a sample of them."""
        model = self._models.of(node)
        layout = lay_out(node.call, model.profile, self._text)
        prefix = len(model.tokenizer.encode(layout.prefix))
        calls, row_tokens = self._calls(node), self._row_tokens(node, model, layout)
        rows = calls + len(layout.neutral) if calls else 0
        tokens = round(rows * row_tokens) + (prefix if calls else 0)
        rows_bytes = model.kv_bytes_per_token * (prefix + round(row_tokens))
        return Estimate(calls, tokens, tokens * model.flops_per_token, rows_bytes)

    def cost(self) -> Cost:
        """The whole query."""
        scores = [self.score(score) for score in self._plan.scores]
        rows = sum(self.rows(scan) for scan in self._plan.scans)
        width = sum(9 * len(scan.schema.names) * self.rows(scan) for scan in self._plan.scans)
        models = {self._models.of(s).name: self._models.of(s) for s in self._plan.scores}
        weights = sum(leaf.nbytes for m in models.values() for leaf in jax.tree.leaves(m.params))
        tokens = sum(score.tokens for score in scores)
        return Cost(
            rows=rows,
            calls=sum(score.calls for score in scores),
            tokens=tokens,
            flops=sum(score.flops for score in scores),
            bytes=weights + width + 4 * tokens + sum(score.bytes for score in scores),
        )

    def _calls(self, node: Score) -> int:
        values = row_values(node.call)
        if not values:
            return min(1, self.rows(node.input))
        origins = [carried_from(node.input, value.name) for value in values]
        rows = self.rows(node.input)
        scans = {origin[0] for origin in origins if origin is not None}
        if None in origins or len(scans) != 1:
            return rows
        columns = ", ".join(f'"{origin[1]}"' for origin in origins if origin is not None)
        known = " AND ".join(f'"{o[1]}" IS NOT NULL' for o in origins if o is not None)
        (scan,) = scans
        distinct = f"SELECT DISTINCT {columns} FROM ({scan.sql}) AS t WHERE {known}"
        sql = f"SELECT COUNT(*) FROM ({distinct}) AS d"
        return min(rows, int(self._one(sql)))

    def _row_tokens(self, node: Score, model: LanguageModel, layout: PromptLayout) -> float:
        texts = sum(len(model.tokenizer.encode(p.text)) for p in layout.row if isinstance(p, Text))
        return texts + sum(self._mean_tokens(node, v.name, model) for v in row_values(node.call))

    def _mean_tokens(self, node: Score, name: str, model: LanguageModel) -> float:
        origin = carried_from(node.input, name)
        if origin is None:
            return 1.0
        scan, column = origin
        sql = (
            f'SELECT "{column}" FROM ({scan.sql}) AS t WHERE "{column}" IS NOT NULL LIMIT {_SAMPLE}'
        )
        texts = [" " + str(text) for (text,) in self._all(sql)]
        if not texts:
            return 0.0
        return float(model.tokenizer.encode_batch(texts)[1].mean())

    def _text(self, sql: str) -> str | None:
        ((value,),) = self._all(sql)
        return None if value is None else str(value)

    def _one(self, sql: str) -> int:
        ((value,),) = self._all(sql)
        return int(value)

    def _all(self, sql: str) -> list[tuple[Any, ...]]:
        catalog = self._plan.catalog
        return catalog.connection.execute(
            sql, used_parameters(catalog.connection, sql, catalog.parameters)
        ).fetchall()


def explain_text(
    execution: Execution, report: RunReport | None = None, *, verbose: bool = False
) -> str:
    """The text of EXPLAIN; with a run's report that of EXPLAIN ANALYZE.

    Args:
        execution: the planned query.
        report: what a run did.
        verbose: add the plan after each rule that changed it.
    """
    estimator, plan = Estimator(execution), execution.plan
    done = {operator.name: operator for operator in report.operators} if report else {}
    lines = [plan_text(plan.placed, lambda node: _line(node, estimator, done, report, plan.scans))]
    lines.append(_totals(estimator.cost(), report))
    if verbose:
        lines += [f"-- {a.rule} ({a.seconds * 1e3:.1f} ms)\n{plan_text(a.plan)}" for a in plan.log]
    return "\n".join(lines)


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
    actual = f"{done.calls:,} calls, {done.tokens:,} tokens, {done.reused:,} reused{failed}"
    return f"{text} [{numbers} | actual {done.rows:,} rows, {actual}]"


def _totals(cost: Cost, report: RunReport | None) -> str:
    text = (
        f"estimated: {cost.rows:,} rows read, {cost.calls:,} calls, {cost.tokens:,} tokens, "
        f"{cost.flops / 1e9:,.1f} GFLOP, {cost.bytes / 1e6:,.0f} MB"
    )
    if report is None:
        return text
    return (
        f"{text}\nactual: {sum(report.scanned):,} rows read, {report.calls:,} calls, "
        f"{report.tokens:,} tokens, {report.reused:,} reused, {report.steps:,} morsels, "
        f"{report.seconds:.2f} s of which {report.compile_seconds:.2f} s compiling"
    )
