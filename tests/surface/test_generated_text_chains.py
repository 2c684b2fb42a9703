"""Relational operators over generated text: one program, and DuckDB's answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

SAID: dict[str, str | float] = {
    "good": "fine film",
    "bad": "dull film",
    "odd": "what?",
    "empty": "",
}
WRITTEN = "SELECT i, AI_GENERATE(('q ', x), max_tokens => 12) AS a FROM t"
"""Takes the place of `{texts}`; for DuckDB it is a table of the texts, fetched first."""
QUERIES = {
    "like": "SELECT i, a FROM ({texts}) WHERE (a LIKE '%film' OR a LIKE 'n_ne') AND a NOT LIKE 'd%'"
    " AND a NOT ILIKE 'W%' ESCAPE '!' ORDER BY a DESC, i",
    "self join": "WITH q AS ({texts}), d AS (SELECT DISTINCT a FROM q WHERE a LIKE '%film')"
    " SELECT l.a, COUNT(*) AS n, MIN(l.i) AS m FROM q l JOIN q r ON l.a = r.a AND l.i < r.i"
    " JOIN d ON d.a = l.a GROUP BY l.a ORDER BY l.a DESC",
}


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default="none"))
    connection.execute(
        "CREATE TABLE t AS SELECT i, ['good','bad','odd',NULL,'empty','other'][1 + i * i % 7]"
        " || CASE WHEN i % 3 = 0 THEN ' again' ELSE '' END AS x FROM range(20) r(i)"
    )
    connection.execute(f"CREATE TABLE texts AS {WRITTEN}")
    yield connection
    connection.close()


@pytest.mark.parametrize("name", QUERIES)
def test_texts_do_not_leave_the_program(con: Connection, name: str) -> None:
    sql = QUERIES[name]
    want = con.duckdb.sql(sql.format(texts="FROM texts"))
    rows = con.sql(sql.format(texts=WRITTEN))
    plan = rows.explain().splitlines()
    assert not any(line.startswith("STAGE") for line in plan)
    assert rows.fetchall() == want.fetchall() != []
    assert rows.types == [str(kind) for kind in want.types]
    assert rows.report.stages == ()
    assert len(rows.report.operators) == len(rows.report.scanned) == 1
