"""Queries that were once answered otherwise than by DuckDB, found by `python -m tests.fuzz`."""

from __future__ import annotations

import duckdb
import pytest

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
    pytest.param(
        "CREATE TABLE t AS SELECT 'a b' AS x, 'c d' AS y;",
        "SELECT SPLIT_PART(c, ' ', 1) AS s FROM (SELECT x AS c FROM t UNION ALL SELECT y FROM t)",
        id="a map over both sides of a UNION",
    ),
    pytest.param(
        "CREATE TABLE t AS SELECT 'a'::BLOB AS x, 'b'::BLOB AS y;",
        "SELECT c, c::VARCHAR AS s FROM (SELECT x AS c FROM t UNION ALL SELECT y FROM t)",
        id="opaque values of both sides of a UNION",
    ),
    pytest.param(
        "CREATE TABLE t2 (id INTEGER, b0 BIGINT);INSERT INTO t2 VALUES (8, -9223372036854775808);",
        "SELECT NULL FROM t2 AS q4 JOIN t2 AS q5 ON 'B' < '12' WHERE (SELECT CAST(q7.b0 AS"
        " DECIMAL(18)) FROM (SELECT * FROM (VALUES (4.0, 4.0)) AS v(v0, v1)) AS q6, t2 AS q7"
        " WHERE q4.id)",
        id="20261130:2324",
    ),
    pytest.param(
        "CREATE TABLE t2 (id INTEGER, b0 BIGINT);INSERT INTO t2 VALUES (8, -9223372036854775808);",
        "SELECT NULL FROM t2 AS q4 JOIN t2 AS q5 ON 'B' < '12' WHERE NOT 1.25 IN (SELECT"
        " CAST(q7.b0 AS DECIMAL(18)) FROM t2 AS q7 WHERE q4.id)",
        id="20261130:2324 NOT IN",
    ),
    pytest.param(
        "CREATE TABLE t1 (b0 BOOLEAN); INSERT INTO t1 VALUES (TRUE), (FALSE), (TRUE);",
        "SELECT DISTINCT STDDEV_POP(99.9) AS s, CORR(99.9, b0::INT) AS c FROM t1"
        " GROUP BY CUBE (b0)",
        id="20261130:4595",
    ),
]


FOUND_MIXED = [
    pytest.param(
        "CREATE TABLE t1 (b0 BOOLEAN, b1 BOOLEAN);"
        "INSERT INTO t1 VALUES (FALSE, FALSE), (FALSE, FALSE), (TRUE, FALSE);",
        "SELECT DISTINCT STDDEV_POP(99.9) FROM t1 AS q1 GROUP BY CUBE (q1.b0, q1.b1)",
        "mixed:20261130:4595",
        id="20261130:4595 mixed",
    ),
]
"""With the placement in which they were found."""


@pytest.mark.parametrize("mode", [*MODES, "mixed:1", "mixed:2"])
@pytest.mark.parametrize(("tables", "sql"), FOUND)
def test_equals_duckdb(tables: str, sql: str, mode: str) -> None:
    _check(tables, sql, mode)


@pytest.mark.parametrize(("tables", "sql", "mode"), FOUND_MIXED)
def test_equals_duckdb_in_a_mixed_placement(tables: str, sql: str, mode: str) -> None:
    _check(tables, sql, mode)


def _check(tables: str, sql: str, mode: str) -> None:
    with duckdb.connect() as oracle, duckdb.connect() as database:
        for connection in (oracle, database):
            connection.execute(tables or "SELECT 1")
        oracle.execute(MACROS.read_text("utf-8"))
        expected = answer_of(oracle.sql(sql))
        assert difference(expected, answer(database, sql, mode)) is None
