"""Statements: which go to DuckDB as they are, and where in the others the query stands."""

import pytest

from sqlax.compiler.sql.statement import Kind, read_statements
from sqlax.errors import UnsupportedError


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1; SELECT 2",
        "EXPLAIN ANALYZE SELECT 1",
        "CREATE TABLE t AS SELECT 'x' AS email",
        "COPY ai_docs FROM 'f.csv'",
        "SELECT 'AI_IF(x)' -- AI_IF(x)",
        "PRAGMA threads = 2",
        "CREATE TABLE ai_docs(id INT)",
        "not even SQL '",
        "; -- AI_IF(x)",
    ],
)
def test_without_a_semantic_call_the_text_is_duckdbs(sql: str) -> None:
    (*_, statement) = read_statements(sql)
    assert statement.kind is Kind.DUCKDB
    assert statement.query == ""


Q = "SELECT AI_IF(x) FROM t"

WRAPPED = {
    "query": (Q, Kind.QUERY, Q),
    "from first": ("FROM t SELECT AI_IF(x)", Kind.QUERY, "FROM t SELECT AI_IF(x)"),
    "cte": (f"WITH a AS ({Q}) SELECT * FROM a", Kind.QUERY, f"WITH a AS ({Q}) SELECT * FROM a"),
    "explain": (f"EXPLAIN {Q}", Kind.EXPLAIN, Q),
    "create": (f"CREATE TABLE a AS {Q}", Kind.CREATE, Q),
    "create or replace": (
        f"CREATE OR REPLACE TEMP TABLE IF NOT EXISTS s.a AS WITH b AS ({Q}) FROM b",
        Kind.CREATE,
        f"WITH b AS ({Q}) FROM b",
    ),
    "create without data": (f"CREATE TABLE a AS {Q} WITH NO DATA", Kind.CREATE, Q),
    "create in brackets": (f"CREATE TABLE a AS ({Q})", Kind.CREATE, f"({Q})"),
    "insert": (f"INSERT INTO a {Q}", Kind.INSERT, Q),
    "insert columns": (f"INSERT OR REPLACE INTO a (b, c) {Q}", Kind.INSERT, Q),
    "insert by name": (f"INSERT INTO a BY NAME {Q}", Kind.INSERT, Q),
    "insert conflict": (f"INSERT INTO a {Q} ON CONFLICT DO NOTHING", Kind.INSERT, Q),
    "insert join": (
        "INSERT INTO a SELECT 1 FROM b JOIN c ON AI_IF((b.x, c.x)) RETURNING *",
        Kind.INSERT,
        "SELECT 1 FROM b JOIN c ON AI_IF((b.x, c.x))",
    ),
    "insert values": ("INSERT INTO a VALUES (AI_IF('x'))", Kind.INSERT, "VALUES (AI_IF('x'))"),
    "copy": (f"COPY ({Q}) TO 'f.csv' (HEADER)", Kind.COPY, Q),
}


@pytest.mark.parametrize(("sql", "kind", "query"), WRAPPED.values(), ids=WRAPPED)
def test_the_query_within(sql: str, kind: Kind, query: str) -> None:
    (statement,) = read_statements(f"  {sql} ; ")
    assert (statement.kind, statement.text, statement.query) == (kind, sql, query)
    assert statement.with_query("SELECT * FROM result") == sql.replace(
        query, "SELECT * FROM result"
    )


@pytest.mark.parametrize(
    ("words", "analyze", "verbose"),
    [
        ("EXPLAIN", False, False),
        ("explain analyze", True, False),
        ("EXPLAIN VERBOSE", False, True),
        ("EXPLAIN ANALYZE VERBOSE", True, True),
    ],
)
def test_explain(words: str, analyze: bool, verbose: bool) -> None:
    (statement,) = read_statements(f"{words} {Q}")
    assert statement.kind is Kind.EXPLAIN
    assert (statement.analyze, statement.verbose) == (analyze, verbose)
    assert statement.query == Q


def test_statements_are_split_by_tokens() -> None:
    sql = f"CREATE TABLE t AS SELECT ';' AS x; ; {Q} -- ;\n; COPY ({Q}) TO 'a;b'"
    kinds = [statement.kind for statement in read_statements(sql)]
    assert kinds == [Kind.DUCKDB, Kind.QUERY, Kind.COPY]


def test_bigquery_strings_in_double_quotes() -> None:
    (statement,) = read_statements('SELECT "AI_IF(x); "', "bigquery")
    assert statement.kind is Kind.DUCKDB


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE t SET a = AI_IF(x)",
        "DELETE FROM t WHERE AI_IF(x)",
        f"CREATE VIEW v AS {Q}",
        "CREATE MACRO m(x) AS AI_IF(x)",
        f"DESCRIBE {Q}",
        f"PREPARE p AS {Q}",
        f"WITH a AS ({Q}) INSERT INTO t FROM a",
        "INSERT INTO t SELECT 1 RETURNING AI_IF(x)",
        f"EXPLAIN CREATE TABLE t AS {Q}",
    ],
)
def test_other_statements_cannot_run_a_semantic_function(sql: str) -> None:
    with pytest.raises(UnsupportedError, match="cannot run a semantic function here") as error:
        read_statements(sql)
    span = error.value.span
    assert span is not None
    assert sql[span.start : span.end] == "AI_IF(x)"
