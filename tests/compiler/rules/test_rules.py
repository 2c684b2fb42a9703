"""Each rule's fixtures: the plan is the golden one, and the rows are those without the rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.rules import rewrite_plan
from sqlax.models.fake import FakeModel
from tests.compiler.rules.fixtures import (
    FOLDER,
    NAMES,
    Fixture,
    connect,
    plan_after,
    planned,
    read_fixtures,
)
from tests.fuzz.eager import execution

pytestmark = pytest.mark.usefixtures("compile_quickly")

MODEL = FakeModel({"odd": "maybe", "good": 1.0}, default=0.0)
FIXTURES = [fixture for rule in NAMES for fixture in read_fixtures(rule)]
each_fixture = pytest.mark.parametrize(
    "fixture", FIXTURES, ids=[f"{f.rule}: {f.title}" for f in FIXTURES]
)


@pytest.fixture(scope="module")
def tables() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect() as connection:
        yield connection


def test_every_rule_has_a_fixture_and_every_fixture_a_rule() -> None:
    assert {path.stem for path in FOLDER.glob("*.sql")} == set(NAMES)


@each_fixture
def test_the_plan_is_the_golden_one(fixture: Fixture, tables: duckdb.DuckDBPyConnection) -> None:
    assert plan_after(fixture, tables) == fixture.plan


@each_fixture
def test_the_rule_changes_no_row(fixture: Fixture, tables: duckdb.DuckDBPyConnection) -> None:
    before, after = (rows(fixture.sql, tables, rules) for rules in ([], [fixture.rule]))
    assert after == before
    assert rows(fixture.sql, tables, NAMES) == before


def rows(
    sql: str, tables: duckdb.DuckDBPyConnection, rules: tuple[str, ...] | list[str]
) -> list[tuple[Any, ...]]:
    """The rows with only some rules, in order where the query has one."""
    run = execution(planned(sql, tables, rules), MODEL, compiled=False)
    found = [tuple(row.values()) for row in run.run().table.to_pylist()]
    return found if "ORDER BY" in sql or "LIMIT" in sql else sorted(found, key=repr)


def test_a_second_pass_changes_nothing(tables: duckdb.DuckDBPyConnection) -> None:
    for fixture in FIXTURES:
        plan = planned(fixture.sql, tables, NAMES).logical
        again, log = rewrite_plan(plan)
        assert (again, log) == (plan, ())


def test_the_log_names_each_rule_that_changed_the_plan(tables: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT id, AI_IF(x) AS p FROM (SELECT *, AI_SCORE(x) AS s FROM t) WHERE g > 1 LIMIT 2"
    plan = planned(sql, tables, NAMES)
    assert [applied.rule for applied in plan.log] == ["push_filter", "push_limit", "prune_columns"]
    last: Node = plan.log[-1].plan
    assert last == plan.logical
