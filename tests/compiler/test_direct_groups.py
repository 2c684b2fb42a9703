"""Groups whose keys have fewer codes than there are rows are numbered without a sort."""

from __future__ import annotations

import pytest

import sqlax
from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.models import Models
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

MADE = """CREATE TABLE t AS SELECT
    CASE WHEN i % 90 > 0 THEN i * 7 % 4000 - 90 END AS a, i % 11 AS b, i AS v, i * 9973 AS wide
FROM range(200000) r(i)"""
CALLS = "SUM(v), COUNT(*), MIN(v), COUNT(DISTINCT v % 5)"


@pytest.fixture(scope="module")
def con() -> Connection:
    con = sqlax.connect(model=FakeModel({}), mode="graph")
    con.execute(MADE)
    return con


def is_sorted(con: Connection, sql: str) -> bool:
    return "stablehlo.sort" in Execution(con.compile(sql).plan(), Models("fake", {})).stablehlo()


SORTS = {"": False, "WHERE v < 9000": True}


@pytest.mark.parametrize("where", SORTS)
def test_only_where_few_rows_may_be_left_are_they_sorted(con: Connection, where: str) -> None:
    sql = f"SELECT a, b, SUM(v) FROM t {where} GROUP BY a, b"
    assert is_sorted(con, sql) is SORTS[where]


@pytest.mark.parametrize("where", SORTS)
def test_the_groups_are_right(con: Connection, where: str) -> None:
    sql = f"SELECT a, b, {CALLS} FROM t {where} GROUP BY a, b"
    found = con.compile(sql).run().fetchall()
    assert sorted(found, key=str) == sorted(con.execute(sql).fetchall(), key=str)


def test_keys_of_more_codes_than_rows_are_sorted(con: Connection) -> None:
    sql = "SELECT wide, SUM(v) FROM t GROUP BY wide"
    assert is_sorted(con, sql)
