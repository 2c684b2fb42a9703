"""Placement by cost: small inputs of a large cross product go to the graph, all else to DuckDB."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from sqlax.compiler.cost.model import CostModel
from sqlax.compiler.cost.rates import SEEDS, rates
from sqlax.compiler.placement import place
from sqlax.compiler.plan.nodes import Join, Node, Scan
from sqlax.compiler.query import QueryPlan, plan_query

PAIRS = "SELECT COUNT(*) FROM a, b WHERE AI_IF((a.x, b.x)) AND a.i + b.i < 10"
MATCHES = "SELECT COUNT(*) FROM a JOIN b ON a.i = b.i WHERE AI_IF((a.x, b.x))"


def planned(sql: str, rows: int) -> QueryPlan:
    connection = duckdb.connect()
    for name in ("a", "b"):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT i, 'text ' || i AS x FROM range({rows}) r(i)"
        )
    return plan_query(sql, connection, mode="duckdb")


def nodes(plan: QueryPlan) -> list[Node]:
    placed = place(plan.logical, plan.catalog, "hybrid", SEEDS)
    assert not placed.stages
    return [*placed.plan.walk()]


def test_pairs_are_made_where_the_model_is() -> None:
    found = nodes(planned(PAIRS, 3000))
    assert any(isinstance(node, Join) for node in found)
    assert sum(isinstance(node, Scan) for node in found) == 2


@pytest.mark.parametrize(("sql", "rows"), [(PAIRS, 10), (MATCHES, 3000)])
def test_what_duckdb_joins_to_few_rows_stays_there(sql: str, rows: int) -> None:
    found = nodes(planned(sql, rows))
    assert not any(isinstance(node, Join) for node in found)
    assert sum(isinstance(node, Scan) for node in found) == 1


def test_rows_are_those_that_duckdb_expects() -> None:
    plan = planned(PAIRS, 3000)
    (join,) = (node for node in plan.logical.walk() if isinstance(node, Join))
    costs = CostModel(plan.catalog, SEEDS)
    assert costs.rows(join) == 9_000_000
    assert costs.in_graph(join) < costs.in_duckdb(join)


def test_rates_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path))
    first = rates()
    assert rates() == first
    assert len([*(tmp_path / "rates").iterdir()]) == 1
    assert min(first.transfer, first.duckdb_row, first.graph_row, first.graph_sort) > 0


def test_a_damaged_file_is_measured_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path))
    rates()
    (path,) = (tmp_path / "rates").iterdir()
    path.write_text("{", encoding="utf-8")
    assert rates().transfer > 0
