"""Maps: what DuckDB computes from one text stands anywhere in a plan of the graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sqlax.compiler.plan.nodes import Project, Scan
from sqlax.compiler.query import QueryPlan, plan_query
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.fuzz.eager import execution

FOLDER = Path(__file__).parent / "maps"
pytestmark = pytest.mark.usefixtures("compile_quickly")
MODEL = FakeModel({"APPLE": 1.0, "plum": "maybe"}, default=0.0)


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as made:
        made.execute((FOLDER / "tables.sql").read_text(encoding="utf-8"))
        yield made


def queries() -> list[str]:
    text = (FOLDER / "queries.sql").read_text(encoding="utf-8")
    return [query.strip() for query in text.split(";") if query.strip()]


def planned(connection: duckdb.DuckDBPyConnection, sql: str, given: Any = None) -> QueryPlan:
    return plan_query(sql, connection.cursor(), parameters=given or {}, mode="graph")


def rows(connection: duckdb.DuckDBPyConnection, plan: QueryPlan) -> list[tuple[Any, ...]]:
    outcome = execution(plan, MODEL, compiled=bool(plan.scores)).run()
    return Result(outcome, connection.cursor()).fetchall()


@pytest.mark.parametrize("sql", queries())
def test_equals_duckdb(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    plan = planned(connection, sql)
    assert not isinstance(plan.placed, Scan)
    assert not plan.stages
    found = rows(connection, plan)
    assert sorted(map(repr, found)) == sorted(map(repr, connection.sql(sql).fetchall()))


PARAMETERS = [
    ("SELECT id FROM a WHERE s LIKE $p AND upper(s) > $q", {"p": "%a%", "q": "B"}),
    ("SELECT upper($p) || s, length($p) + id FROM a", {"p": "pre"}),
    ("SELECT d + $p::INTERVAL FROM a", {"p": "1 month"}),
]


@pytest.mark.parametrize(("sql", "given"), PARAMETERS)
def test_parameters_are_part_of_a_map(
    connection: duckdb.DuckDBPyConnection, sql: str, given: dict[str, Any]
) -> None:
    found = rows(connection, planned(connection, sql, given))
    expected = connection.execute(sql, given).fetchall()
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_answers_of_a_model_can_be_mapped(connection: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT id, AI_IF(upper(s)), upper(AI_CLASSIFY(s, ['x', 'yy'])) FROM a WHERE id < 4"
    found = rows(connection, planned(connection, sql))
    assert found == [(0, True, "YY"), (1, False, "YY"), (2, False, "YY"), (3, None, None)]


def test_a_text_that_is_only_mapped_is_carried(connection: duckdb.DuckDBPyConnection) -> None:
    """It is in no dictionary: DuckDB evaluates the map row by row instead."""
    run = execution(
        planned(connection, "SELECT id FROM a WHERE s LIKE '%an%'"), MODEL, compiled=True
    )
    assembly = run.assembly(run.load())
    assert len(assembly.dictionary) == 1
    assert len(assembly.columns.maps) == 1


def test_other_data_of_the_same_size_needs_no_other_program(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    sql = "SELECT upper(s) AS u, length(s) FROM changing WHERE s NOT LIKE '%5'"
    connection.execute(
        "CREATE OR REPLACE TABLE changing AS SELECT 'x' || i AS s FROM range(30) t(i)"
    )
    run = execution(planned(connection, sql), MODEL, compiled=True)
    before = run.run()
    connection.execute("UPDATE changing SET s = 'other ' || s")
    again = run.run()
    assert [outcome.report.traces for outcome in (before, again)] == [1, 0]
    found = Result(again, connection.cursor()).fetchall()
    assert sorted(found) == sorted(connection.sql(sql).fetchall())


def test_an_error_of_a_value_counts_where_it_is_evaluated(
    connection: duckdb.DuckDBPyConnection,
) -> None:
    unguarded = planned(connection, "SELECT num::INTEGER + id FROM a")
    with pytest.raises(duckdb.Error):
        connection.sql("SELECT num::INTEGER + id FROM a").fetchall()
    with pytest.raises(Exception, match="Could not convert"):
        rows(connection, unguarded)
    guarded = "SELECT CASE WHEN id % 8 <> 1 THEN num::INTEGER + id END FROM a"
    assert sorted(map(repr, rows(connection, planned(connection, guarded)))) == sorted(
        map(repr, connection.sql(guarded).fetchall())
    )


def test_text_of_two_columns_is_not_in_the_graph(connection: duckdb.DuckDBPyConnection) -> None:
    plan = planned(connection, "SELECT s || num FROM a")
    assert not isinstance(plan.placed, Project)
