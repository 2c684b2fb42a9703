"""STRING_AGG and LIST in one program with the model, and what makes them a stage of DuckDB's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from sqlax.compiler.execution import Execution
from sqlax.compiler.explain import explain_text
from sqlax.compiler.plan.nodes import Aggregate
from sqlax.compiler.query import plan_query
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.fuzz.eager import execution

pytestmark = pytest.mark.usefixtures("compile_quickly")

ASKED = "SELECT g, STRING_AGG(s, '|' ORDER BY i) AS a, BOOL_OR(AI_IF(x)) AS p FROM t GROUP BY g"
TEXTS = "SELECT g, STRING_AGG(s, $mark ORDER BY i) AS a FROM t WHERE s <> $not GROUP BY g"


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i, i % 40 AS g, 's' || (i * 37 % 500) AS s, i * 0.5 AS q,"
            " CASE WHEN i % 3 = 0 THEN 'good ' WHEN i % 3 = 1 THEN 'bad ' END || (i % 7) AS x"
            " FROM range(3000) r(i)"
        )
        yield connection


def planned(database: duckdb.DuckDBPyConnection, sql: str, *, compiled: bool = False) -> Execution:
    model = FakeModel({"good": 1.0}, default=0.0)
    return execution(plan_query(sql, database), model, compiled=compiled)


def rows(run: Execution) -> list[tuple[Any, ...]]:
    return sorted(Result(run.run(), run.plan.catalog.connection).fetchall(), key=repr)


def oracle(database: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """What DuckDB answers where the fake model's answer is spelt out."""
    return sorted(database.sql(sql.replace("AI_IF(x)", "(x LIKE 'good%')")).fetchall(), key=repr)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_texts_that_the_model_chooses_are_joined_in_its_program(
    database: duckdb.DuckDBPyConnection, compiled: bool
) -> None:
    sql = (
        "SELECT g, STRING_AGG(s, ', ' ORDER BY q DESC) FILTER (WHERE AI_IF(x)) AS yes,"
        " LIST(i ORDER BY i) AS ids, LIST(DISTINCT s ORDER BY s) AS kinds FROM t GROUP BY g"
    )
    run = planned(database, sql, compiled=compiled)
    assert run.plan.stages == ()
    assert any(isinstance(node, Aggregate) for node in run.plan.placed.walk())
    assert rows(run) == oracle(database, sql)


def test_rows_that_are_joined_sorted_and_cut_keep_their_lists(
    database: duckdb.DuckDBPyConnection,
) -> None:
    sql = (
        f"SELECT a.g, b.a FROM ({ASKED}) a LEFT JOIN ({ASKED}) b ON a.g = b.g + 20"
        " WHERE a.g > 5 ORDER BY a.g DESC LIMIT 30"
    )
    run = planned(database, sql)
    assert run.plan.stages == ()
    assert rows(run) == oracle(database, sql)


READERS = {
    f"SELECT g, a FROM ({ASKED}) q ORDER BY a": "computing with a VARCHAR made by an aggregate",
    f"SELECT a, MAX(g) FROM ({ASKED}) q GROUP BY a": "computing with",
    f"SELECT MAX(a) AS m FROM ({ASKED}) q": "computing with",
    f"SELECT g FROM ({ASKED}) q WHERE a LIKE '%7%'": "LIKE of a VARCHAR made by an aggregate",
    f"SELECT DISTINCT a FROM ({ASKED}) q": "DISTINCT over a value of type VARCHAR made by",
    f"SELECT a FROM ({ASKED}) q UNION ALL SELECT 'x'": "UNION of values of type VARCHAR made by",
    f"SELECT AI_IF(a) AS p, g FROM ({ASKED}) q": "a prompt value of type VARCHAR made by",
}


@pytest.mark.parametrize("sql", READERS)
def test_what_reads_the_text_makes_the_aggregate_duckdbs(
    database: duckdb.DuckDBPyConnection, sql: str
) -> None:
    run = planned(database, sql)
    (stage,) = run.plan.stages
    assert READERS[sql] in stage.reason
    assert f"DuckDB runs what follows ({stage.reason})" in explain_text(run)
    assert not any(isinstance(node, Aggregate) for node in stage.plan.walk())
    plain = sql.replace("AI_IF(a)", "(a LIKE '%good%')")
    assert rows(run) == oracle(database, plain)


def test_two_readers_of_one_list_ask_the_model_once(database: duckdb.DuckDBPyConnection) -> None:
    sql = (
        f"WITH q AS ({ASKED}) SELECT length(a) AS n, g FROM q WHERE p"
        " UNION ALL SELECT g, length(a) FROM q"
    )
    run = planned(database, sql)
    outcome = run.run()
    assert len(run.plan.stages) == 1
    assert outcome.report.calls == 14


def test_what_is_only_collected_is_in_no_dictionary(database: duckdb.DuckDBPyConnection) -> None:
    sql = "SELECT g, STRING_AGG(s ORDER BY i) AS a, LIST(x ORDER BY i) AS l FROM t GROUP BY g"
    run = execution(plan_query(sql, database, mode="graph"), FakeModel({}), compiled=False)
    assembly = run.assembly(run.load())
    assert len(assembly.dictionary) == 0
    assert rows(run) == oracle(database, sql)


def test_an_aggregate_below_the_model_has_its_lists_at_the_end(
    database: duckdb.DuckDBPyConnection,
) -> None:
    below = "SELECT g, LIST(s ORDER BY i) AS l, MAX(x) AS x FROM t GROUP BY g"
    sql = f"SELECT l, AI_IF(x) AS p FROM ({below}) q WHERE AI_IF(x) ORDER BY g LIMIT 7"
    run = execution(
        plan_query(sql, database, mode="graph"),
        FakeModel({"good": 1.0}, default=0.0),
        compiled=True,
    )
    assert run.plan.stages == ()
    assert rows(run) == oracle(database, sql)


def test_lists_of_sets_of_labels(database: duckdb.DuckDBPyConnection) -> None:
    call = "AI_CLASSIFY(x, ['good', 'fine', 'bad'], output_mode => 'multi')"
    sql = f"SELECT g % 2 AS h, LIST({call} ORDER BY i) AS l FROM t WHERE i < 9 GROUP BY h"
    alone = f"SELECT g % 2 AS h, i, {call} AS l FROM t WHERE i < 9"
    expected: dict[int, list[Any]] = {}
    for half, _, labels in sorted(rows(planned(database, alone))):
        expected.setdefault(half, []).append(labels)
    run = planned(database, sql)
    assert run.plan.stages == ()
    assert dict(rows(run)) == expected


def test_a_separator_that_is_a_parameter_is_duckdbs(database: duckdb.DuckDBPyConnection) -> None:
    given = {"mark": " and ", "not": "s37"}
    plan = plan_query(TEXTS, database, mode="graph", parameters=given)
    run = execution(plan, FakeModel({}), compiled=False)
    expected = database.sql(TEXTS, params=given).fetchall()
    assert rows(run) == sorted(expected, key=repr)
