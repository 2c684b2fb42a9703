"""Queries that were once answered otherwise than by DuckDB, found by `python -m tests.fuzz`."""

from __future__ import annotations

import duckdb
import pytest

from sqlax.compiler.placement import Mode
from tests.fuzz.compare import difference
from tests.fuzz.engines import MODES, answer
from tests.fuzz.oracle import MACROS, answer_of

FOUND = [
    pytest.param(
        "CREATE TABLE t AS SELECT 100.10::DECIMAL(10,2) AS a, 100.1::DOUBLE AS b;",
        "SELECT a > b AS c, a::DOUBLE = b AS d FROM t",
        id="division by one number for all rows",
    ),
    pytest.param(
        "CREATE TABLE l AS FROM (VALUES (3, NULL), (1, 'x')) v(a, s);"
        "CREATE TABLE r AS FROM (VALUES (1, 'x'), (2, 'x')) v(a, s);",
        "SELECT l.a, l.a IN (SELECT a FROM r WHERE r.s = l.s) AS i,"
        " l.a NOT IN (SELECT a FROM r WHERE r.s = l.s) AS n FROM l",
        id="a correlated IN over no rows is false",
    ),
    pytest.param(
        "CREATE TABLE t0 (x VARCHAR);",
        "SELECT 'a b' AS a FROM t0 AS q1 GROUP BY GROUPING SETS (())",
        id="11:3:6 duckdb",
    ),
    pytest.param("", "VALUES (1, 'a'), (2, NULL)", id="VALUES as a query"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("tables", "sql"), FOUND)
def test_equals_duckdb(tables: str, sql: str, mode: Mode) -> None:
    with duckdb.connect() as oracle, duckdb.connect() as database:
        for connection in (oracle, database):
            connection.execute(tables or "SELECT 1")
        oracle.execute(MACROS.read_text("utf-8"))
        expected = answer_of(oracle.sql(sql))
        assert difference(expected, answer(database, sql, mode)) is None
