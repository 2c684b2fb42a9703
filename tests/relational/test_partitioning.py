"""Ternary-logic partitioning: `p`, `NOT p` and `p IS NULL` together give back every row once.

M. Rigger and Z. Su, Finding Bugs in Database Systems via Query Partitioning, OOPSLA 2020.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlax.compiler.placement import Mode
from tests.fuzz.case import check
from tests.fuzz.engines import Engines
from tests.fuzz.tables import Column, Table
from tests.relational.cases import FOLDER

ROWS = [
    ("1", "1", "1", "1.5", "1.50", "'ab'", "DATE '2024-02-29'", "TRUE", "'good'"),
    ("2", "2", "1", "-0.0", "2.00", "'x'", "DATE '1999-12-31'", "FALSE", "'bad'"),
    ("3", "3", "3", "'nan'", "-1.50", "''", "DATE '2024-01-01'", "NULL", "'odd'"),
    ("4", "NULL", "2", "'inf'", "NULL", "NULL", "NULL", "TRUE", "NULL"),
    ("5", "2", "NULL", "NULL", "0.00", "'12'", "DATE '2000-01-01'", "FALSE", "'b'"),
    ("6", "0", "0", "0.0", "1.50", "'a'", "DATE '2024-02-29'", "NULL", "'good'"),
    ("7", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"),
    ("8", "1", "1", "1.5", "1.50", "'b'", "DATE '2023-12-31'", "TRUE", "'a good'"),
]
NAMES = (
    *(("id", "INTEGER"), ("a", "INTEGER"), ("b", "BIGINT"), ("d", "DOUBLE"), ("m", "DECIMAL(9,2)")),
    *(("s", "VARCHAR"), ("day", "DATE"), ("f", "BOOLEAN"), ("x", "VARCHAR")),
)
T = Table("t", tuple(Column(name, kind) for name, kind in NAMES), tuple(ROWS))
U = Table(
    "u",
    (Column("a", "INTEGER"), Column("b", "BIGINT")),
    (("1", "1"), ("1", "2"), ("2", "1"), ("NULL", "3"), ("5", "NULL")),
)
PLAIN = [
    line
    for line in (FOLDER / "partitioning.sql").read_text("utf-8").splitlines()
    if line and not line.startswith("--")
]
SEMANTIC = [
    "AI_IF(x)",
    "NOT AI_IF(x)",
    "AI_IF(x) IS NOT TRUE",
    "AI_SCORE(x) > 0.5",
    "AI_CLASSIFY(x, ['pos', 'neg']) = 'pos'",
    "AI_CLASSIFY(x, ['pos', 'neg']) IN ('neg', s)",
    "CASE WHEN f THEN AI_IF(x) ELSE a > 1 END",
    "COALESCE(AI_IF(x), f)",
    "EXISTS (SELECT 1 FROM u WHERE u.a = t.a AND AI_IF(t.x))",
    "a IN (SELECT u.a FROM u WHERE AI_IF(t.x))",
]
MIXED = ("({}) AND AI_IF(x)", "AI_IF(x) OR ({})", "AI_IF(x) = ({})")
PARTS = """\
SELECT id, 'true' AS part FROM t WHERE {0}
UNION ALL SELECT id, 'false' AS part FROM t WHERE NOT ({0})
UNION ALL SELECT id, 'unknown' AS part FROM t WHERE ({0}) IS NULL"""

PART = "CASE WHEN {0} THEN 'true' WHEN NOT ({0}) THEN 'false' WHEN ({0}) IS NULL THEN 'unknown' END"
_EVERY = 8
"""Predicates in one query."""


def mixed() -> Iterator[str]:
    """Every plain predicate with a semantic one, in one of three ways."""
    for place, predicate in enumerate(PLAIN):
        yield MIXED[place % len(MIXED)].format(predicate)


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    with Engines((T, U)) as opened:
        yield opened


@pytest.mark.parametrize("mode", ["graph", "duckdb"])
@pytest.mark.parametrize("predicate", PLAIN)
def test_three_parts_make_the_table(engines: Engines, predicate: str, mode: Mode) -> None:
    assert_reassembles(engines, predicate, mode)


@pytest.mark.parametrize("predicate", SEMANTIC)
def test_three_parts_with_a_model_make_the_table(engines: Engines, predicate: str) -> None:
    assert_reassembles(engines, predicate, "graph")


@pytest.mark.slow
@pytest.mark.parametrize("predicate", [*mixed()][::_EVERY])
def test_three_parts_of_a_mixed_predicate_make_the_table(engines: Engines, predicate: str) -> None:
    assert_reassembles(engines, predicate, "graph")


@pytest.mark.parametrize("first", range(0, len(PLAIN), _EVERY))
def test_every_predicate_beside_a_semantic_one(engines: Engines, first: int) -> None:
    """Several in one query: each row is in one part, and in DuckDB's."""
    predicates = [*mixed()][first : first + _EVERY]
    parts = (PART.format(predicate) for predicate in predicates)
    columns = ", ".join(f"{part} AS c{place}" for place, part in enumerate(parts))
    sql = f"SELECT id, {columns} FROM t"
    assert check(engines, sql, "graph", compiled=False) is None
    found = engines.answer(sql, "graph").rows
    assert all(part in ("true", "false", "unknown") for row in found for part in row[1:])


def assert_reassembles(engines: Engines, predicate: str, mode: Mode) -> None:
    """The parts are DuckDB's, and each row stands in one of them."""
    sql = PARTS.format(predicate)
    assert check(engines, sql, mode, compiled=False) is None
    found = engines.answer(sql, mode).rows
    assert sorted(row[0] for row in found) == list(range(1, len(ROWS) + 1))
