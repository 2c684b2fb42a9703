"""What a query is expected to take: rows, calls, tokens, FLOPs and bytes, from its data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.prompts import lay_out, row_values
from sqlax.compiler.plan.catalog import used_parameters
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.nodes import Aggregate, Filter, Limit, Node, Scan, Score, Stored
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.load.markup import tokens_of
from sqlax.runtime.prompt.layout import PromptLayout, Text

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
    """Counts and samples the data of one part of a query, without asking a model.

    Args:
        execution: the part.
        stored: expected rows of the stages before it, by name.
    """

    def __init__(self, execution: Execution, stored: Mapping[str, int]) -> None:
        self._plan = execution.plan
        self._models = execution.models
        self._stored = stored
        self._counts: dict[Scan, int] = {}

    def rows(self, node: Node) -> int:
        """Expected output rows: exact for scans, half of what a semantic condition sees."""
        if isinstance(node, Stored):
            return self._stored[node.stage]
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
        prefix = len(tokens_of(layout.prefix, model.tokenizer))
        calls, row_tokens = self._calls(node), self._row_tokens(node, model, layout)
        rows = calls + len(layout.neutral) if calls else 0
        written = 0 if node.call.generation is None else calls * node.call.generation.max_tokens
        tokens = round(rows * row_tokens) + (prefix if calls else 0) + written
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
        if None in origins or len(scans) != 1 or any(isinstance(s, Stored) for s in scans):
            return rows
        columns = ", ".join(f'"{origin[1]}"' for origin in origins if origin is not None)
        known = " AND ".join(f'"{o[1]}" IS NOT NULL' for o in origins if o is not None)
        (scan,) = scans
        distinct = f"SELECT DISTINCT {columns} FROM ({scan.sql}) AS t WHERE {known}"
        sql = f"SELECT COUNT(*) FROM ({distinct}) AS d"
        return min(rows, int(self._one(sql)))

    def _row_tokens(self, node: Score, model: LanguageModel, layout: PromptLayout) -> float:
        constants = (part for part in layout.row if isinstance(part, Text))
        texts = len(tokens_of(constants, model.tokenizer))
        return texts + sum(self._mean_tokens(node, v.name, model) for v in row_values(node.call))

    def _mean_tokens(self, node: Score, name: str, model: LanguageModel) -> float:
        origin = carried_from(node.input, name)
        if origin is None or isinstance(origin[0], Stored):
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
