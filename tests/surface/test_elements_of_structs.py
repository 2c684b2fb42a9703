"""UNNEST of a list of structs that a model has extracted, against DuckDB over the same answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

SAID: dict[str, str | float] = {
    "two": '{"cast":[{"name":"Ada","age":36},{"name":"Bob","age":null}]}',
    "solo": '{"cast":[{"name":"Cyd","age":7}]}',
    "none": '{"cast":[]}',
    "null": '{"cast":null}',
}
KIND = 'STRUCT("name" VARCHAR, age INTEGER)[]'
CALL = f"AI_EXTRACT(x, {{'cast': '{KIND}'}}, max_tokens => 90)"


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID))
    connection.execute(
        "CREATE TABLE t AS SELECT i, ['two','solo','none','null',NULL][1 + i] AS x"
        " FROM range(5) r(i)"
    )
    yield connection
    connection.close()


def test_the_list_is_of_its_type(con: Connection) -> None:
    """A list is empty, not NULL, where the model names none; a NULL text has a NULL answer."""
    rows = con.sql(f'SELECT {CALL}."cast" AS l FROM t ORDER BY i')
    assert rows.types == [KIND]
    said = [said for (said,) in rows.fetchall()]
    assert said[0] == [{"name": "Ada", "age": 36}, {"name": "Bob", "age": None}]
    assert said[1:] == [[{"name": "Cyd", "age": 7}], [], [], None]


def test_each_struct_is_a_row(con: Connection) -> None:
    sql = (
        'SELECT i, p.name AS name, p.age + 1 AS next FROM t, UNNEST({call}."cast") AS u(p)'
        " ORDER BY i, name"
    )
    con.execute(f"CREATE TABLE answered AS SELECT i, {CALL} AS found FROM t")
    want = con.duckdb.sql(sql.format(call="found").replace("FROM t", "FROM answered"))
    rows = con.sql(sql.format(call=CALL))
    assert rows.types == [str(kind) for kind in want.types]
    assert rows.fetchall() == want.fetchall()
    assert rows.fetchall() == [(0, "Ada", 37), (0, "Bob", None), (1, "Cyd", 8)]
