"""Plans of one query in several modes, and plans whose parts run wherever a seed says."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import duckdb

from sqlax.compiler.placement import Mode, place
from sqlax.compiler.plan.nodes import Node, Scan
from sqlax.compiler.query import QueryPlan, plan_query
from tests.fuzz.draw import Draw

MIXED = "mixed"
"""A mode of the generator's own; `mixed:SEED` places each node where the seed says."""


class Planner:
    """Plans queries over one database; the plan that most modes share is made once.

    Attributes:
        database: the tables.
    """

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self.database = database
        self.last: QueryPlan | None = None
        self._whole: QueryPlan | None = None

    def plan(self, sql: str, mode: str) -> QueryPlan:
        """The query in a mode; but for `hybrid` the whole query is a plan.

        Args:
            sql: the query.
            mode: one of sqlax, or `mixed:SEED`.
        """
        self.last = None
        self.last = self._planned(sql, mode)
        return self.last

    def _planned(self, sql: str, mode: str) -> QueryPlan:
        if mode == "hybrid":
            return plan_query(sql, self.database, mode="hybrid")
        whole = self._in_duckdb(sql)
        if mode.startswith(MIXED):
            return _mixed(whole, mode)
        return whole if mode == "duckdb" else whole.in_mode(cast("Mode", mode))

    def _in_duckdb(self, sql: str) -> QueryPlan:
        if self._whole is None or self._whole.sql != sql:
            self._whole = plan_query(sql, self.database, mode="duckdb", whole=True)
        return self._whole


def _mixed(whole: QueryPlan, mode: str) -> QueryPlan:
    draw = Draw(mode)
    share = draw.pick((0.15, 0.3, 0.5))
    placed = place(whole.logical, whole.catalog, "hybrid", choice=lambda _: draw.chance(share))
    return replace(whole, placed=placed.plan, stages=placed.stages, mode="hybrid")


def is_mixed(plan: QueryPlan) -> bool:
    """Whether DuckDB runs operators above the tables' scans, and the graph runs some too."""
    tables = {node for node in plan.logical.walk() if isinstance(node, Scan)}
    parts: list[Node] = [plan.placed, *(stage.plan for stage in plan.stages)]
    nodes = {node for part in parts for node in part.walk()}
    scans = {node for node in nodes if isinstance(node, Scan)}
    return scans < nodes and not scans <= tables
