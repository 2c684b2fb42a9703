"""EXPLAIN tells what DuckDB runs and what models will be asked; ANALYZE what was asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

QUERY = "SELECT id FROM t WHERE g > 3 AND AI_IF(('Is this good? ', x)) ORDER BY id LIMIT 4"


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    with sqlax.connect(model=FakeModel({"good": 1.0}, default=0.0)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i AS id, i % 10 AS g, 'good ' || (i % 5) AS x"
            " FROM range(100) r(i)"
        )
        yield connection


def explained(con: Connection, statement: str) -> str:
    ((_, text),) = con.sql(statement).fetchall()
    return str(text)


def test_explain_is_the_plan_with_estimates(con: Connection) -> None:
    plan = r"""
        PROJECT "t\.id" AS "id" \[~4 rows\]
          LIMIT 4 OFFSET 0 \[~4 rows\]
            FILTER "(?P<name>#AI_IF_\w+)" \[~30 rows\]
              AI_IF (?P=name) 'Is this good\? {"t\.x"}'[^\n]*
                \[~60\ rows,\ ~5\ calls,\ ~\d+\ tokens,\ ~0\.0\ GFLOP,\ ~0\.0\ MB\]
                DUCKDB \[~60 rows\] SELECT [^\n]* WHERE "t\.g" > 3[^\n]* ORDER BY "t\.id" [^\n]*
        estimated: 60 rows read, 5 calls, \d+ tokens, 0\.0 GFLOP, 0 MB
    """
    pattern = r"\s+".join(line.strip() for line in plan.strip().splitlines())
    text = explained(con, f"EXPLAIN {QUERY}")
    assert re.fullmatch(pattern, text), text


def test_analyze_gives_the_actual_numbers_beside_them(con: Connection) -> None:
    text = explained(con, f"EXPLAIN ANALYZE {QUERY}")
    report = con.sql(QUERY).report
    (operator,) = report.operators
    score, scan = text.splitlines()[3:5]
    actual = (
        f"| actual {operator.rows:,} rows, {operator.calls:,} calls, {operator.tokens:,} tokens"
    )
    assert actual in score
    assert "DUCKDB [~60 rows, 60 read]" in scan
    assert re.search(
        rf"\nactual: 60 rows read, {report.calls} calls, {report.tokens} tokens, "
        rf"{report.reused} reused, {report.steps} morsels, [\d.]+ s of which [\d.]+ s compiling$",
        text,
    )


def test_verbose_adds_the_plan_after_each_rule(con: Connection) -> None:
    text = explained(con, f"EXPLAIN VERBOSE {QUERY}")
    assert re.findall(r"^-- (\w+) \([\d.]+ ms\)$", text, re.MULTILINE) == ["push_sort"]


def test_explain_asks_no_model_and_shows_guards_labels_and_joins(con: Connection) -> None:
    con.execute("CREATE OR REPLACE TABLE u AS SELECT 1 AS k, 'a name' AS name")
    sql = """
        SELECT u.name, CASE WHEN t.g > 8 THEN AI_CLASSIFY(t.x, ['pos', 'neg']) END AS l
        FROM (SELECT *, AI_IF(x) AS p FROM t) t JOIN u ON t.g = u.k WHERE t.p
    """
    text = con.compile(sql).explain()
    lines = [line.strip() for line in text.splitlines()]
    call = re.compile(r'AI_CLASSIFY .* -> pos, neg WHERE "t#2\.g" > 8 \[')
    assert any(call.match(line) for line in lines)
    assert any(line.startswith('JOIN INNER ON "t#2.g" = "u.k" [') for line in lines)
    assert sum(line.startswith("DUCKDB [") for line in lines) == 2


def test_cost_is_the_totals_of_explain(con: Connection) -> None:
    query = con.compile(QUERY)
    cost = query.cost()
    assert (cost.rows, cost.calls) == (60, 5)
    assert f"estimated: {cost.rows:,} rows read, {cost.calls:,} calls" in query.explain()
    assert cost.flops == 2 * cost.tokens
    assert cost.bytes > 0


SAME = [
    QUERY,
    QUERY.replace("AI_IF", "ai_filter"),
    QUERY.replace(" AND ", "\n  AND ").replace("SELECT", "select"),
    QUERY.replace("g > 3", "t.g > 3"),
    "SELECT id FROM t WHERE AI_IF('Is this good? ' || x) AND g > 3 ORDER BY id LIMIT 4",
]
OTHER = [
    QUERY.replace("g > 3", "g > 4"),
    QUERY.replace("LIMIT 4", "LIMIT 5"),
    QUERY.replace("good?", "bad?"),
    QUERY.replace("ORDER BY id", "ORDER BY id DESC"),
    QUERY.replace("x)", "x), threshold => 0.9"),
]


def test_the_plan_hash_depends_on_the_plan_alone(con: Connection) -> None:
    hashes = [con.compile(sql).plan_hash() for sql in SAME]
    assert hashes == [hashes[0]] * len(SAME)
    others = {con.compile(sql).plan_hash() for sql in OTHER}
    assert len(others) == len(OTHER)
    assert hashes[0] not in others


def test_the_plan_hash_is_the_same_in_another_session(con: Connection) -> None:
    with sqlax.connect(model=FakeModel({"other": 0.5})) as other:
        other.execute("CREATE TABLE t (id BIGINT, g BIGINT, x VARCHAR)")
        assert other.compile(QUERY).plan_hash() == con.compile(QUERY).plan_hash()
