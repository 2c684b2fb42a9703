"""What sorts moves its rows together first; the rows that are left decide how often it runs."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering import relational
from sqlax.compiler.plan.nodes import Aggregate, Distinct, Filter, Node, Project, Sort, Window
from sqlax.compiler.plan.schema import Schema
from tests.compiler.lowering.plans import Tables, ascending, assert_same, assert_same_set, parse

CONDITIONS = {"few rows": ("at_ < 5", 1), "many rows": ("at_ < 30", 2), "no row": ("at_ < 0", 1)}


@pytest.fixture(autouse=True)
def compacts_small_relations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relational, "_FEWEST_TO_COMPACT", 1)


def filtered(tables: Tables, condition: str) -> Node:
    """Some rows of 40 in 64 slots; a sort supposes that there are 8 of them."""
    scan = tables.scan("many")
    return Filter(scan.schema, scan, parse(condition))


@pytest.mark.parametrize("case", CONDITIONS)
def test_order_by(tables: Tables, case: str) -> None:
    condition, runs = CONDITIONS[case]
    below = filtered(tables, condition)
    plan = Sort(below.schema, below, (ascending("d", descending=True), ascending("at_")))
    sql = f"SELECT * FROM many WHERE {condition} ORDER BY d DESC NULLS LAST, at_"
    assert_same(tables.run(plan), tables.sql(sql))
    assert tables.runs == runs


@pytest.mark.parametrize("case", CONDITIONS)
def test_group_by_window_and_distinct(tables: Tables, case: str) -> None:
    condition, runs = CONDITIONS[case]
    below = filtered(tables, condition)
    values = (parse("d"), parse("SUM(v)"))
    schema = tables.fields(("d",), values[:1], below.schema)
    schema += tables.fields(("n",), values[1:], below.schema)
    grouped = Aggregate(schema, below, values[:1], values[1:])
    assert_same_set(
        tables.run(grouped), tables.sql(f"SELECT d, SUM(v) FROM many WHERE {condition} GROUP BY d")
    )
    assert tables.runs == runs
    call = parse("SUM(v) OVER (PARTITION BY k ORDER BY at_)")
    window = Window(below.schema + tables.fields(("w",), (call,), below.schema), below, (call,))
    assert_same_set(
        tables.run(window),
        tables.sql(f"SELECT *, {call.sql('duckdb')} FROM many WHERE {condition}"),
    )
    assert tables.runs == runs
    kept = Schema(tuple(below.schema[name] for name in ("d", "s")))
    project = Project(kept, below, (parse("d"), parse("s")))
    assert_same_set(
        tables.run(Distinct(kept, project)),
        tables.sql(f"SELECT DISTINCT d, s FROM many WHERE {condition}"),
    )
    assert tables.runs == runs
