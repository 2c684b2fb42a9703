"""UNNEST in FROM of what a model has extracted, against DuckDB over the same answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.errors import BindError, UnsupportedError
from sqlax.models.fake import FakeModel
from tests.surface.conftest import Open

SAID: dict[str, str | float] = {
    "two": '{"names":["Ada","Bob"]}',
    "one": '{"names":["Cyd"]}',
    "none": '{"names":[]}',
    "null": '{"names":null}',
}
CALL = "AI_EXTRACT(x, {'names': 'VARCHAR[]'}, max_tokens => 40).names"

pytestmark = pytest.mark.usefixtures("compile_quickly")


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default='{"names":["?"]}'))
    connection.execute(
        "CREATE TABLE t AS SELECT i, i % 3 AS g,"
        " ['two', 'one', 'none', NULL, 'two more', 'one more'][1 + i % 6] AS x FROM range(12) r(i)"
    )
    yield connection
    connection.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT t.i, u.name FROM t, UNNEST({list}) AS u(name) ORDER BY i, name",
        "SELECT name, COUNT(*) AS n FROM t CROSS JOIN UNNEST({list}) AS u(name)"
        " WHERE g <> 1 GROUP BY name ORDER BY name",
        "SELECT t.i, name FROM t LEFT JOIN UNNEST({list}) AS u(name) ON TRUE ORDER BY i, name",
    ],
    ids=["comma", "cross", "left"],
)
def test_elements_are_those_of_the_answers(con: Connection, sql: str) -> None:
    con.execute(f"CREATE OR REPLACE TABLE answered AS SELECT *, {CALL} AS l FROM t")
    want = con.duckdb.sql(sql.format(list="l").replace("FROM t", "FROM answered t"))
    found = con.sql(sql.format(list=CALL))
    assert found.columns == want.columns
    assert found.types == [str(kind) for kind in want.types]
    assert found.fetchall() == want.fetchall() != []


def test_conditions_over_rows_come_before_the_model(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(10) r(i)")
    elements = "UNNEST([AI_CLASSIFY(x, ['yes', 'no'])]) AS u(v)"
    rows = con.sql(f"SELECT i, v FROM t, {elements} WHERE i > 6")
    assert sorted(rows.fetchall()) == [(7, "yes"), (8, "yes"), (9, "yes")]
    assert rows.report.calls == 3


REFUSED = {
    "ordinality": ("CROSS JOIN UNNEST({call}) WITH ORDINALITY AS u(v, n)", "WITH ORDINALITY"),
    "full": ("FULL JOIN UNNEST({call}) AS u(v) ON TRUE", "FULL JOIN with UNNEST"),
    "left on": ("LEFT JOIN UNNEST({call}) AS u(v) ON v = 'a'", "LEFT JOIN with UNNEST"),
}


@pytest.mark.parametrize(("join", "message"), REFUSED.values(), ids=REFUSED)
def test_other_forms_are_refused_by_name(con: Connection, join: str, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message):
        con.sql("SELECT v FROM t " + join.format(call=CALL))


def test_a_name_may_not_stand_twice(con: Connection) -> None:
    with pytest.raises(BindError, match="'t' stands twice in FROM"):
        con.sql(f"SELECT 1 FROM t, UNNEST({CALL}) AS t(v)")
