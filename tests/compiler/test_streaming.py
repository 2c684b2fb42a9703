"""Parts that do not fit their memory: the same answers as DuckDB's, from morsels of 256 rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import duckdb
import pytest

from sqlax.compiler.execution import Execution
from sqlax.compiler.explain import explain_text
from sqlax.compiler.outcome import Outcome
from sqlax.compiler.placement import Mode
from sqlax.compiler.query import plan_query
from sqlax.errors import RowError
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from sqlax.runtime.program import Progress
from tests.fuzz.compare import difference
from tests.fuzz.eager import execution
from tests.fuzz.oracle import MACROS, answer_of

pytestmark = pytest.mark.usefixtures("compile_quickly")

BUDGET = 14_000
MODES: tuple[Mode, ...] = ("graph", "hybrid")
TABLES = """
    CREATE TYPE mood AS ENUM ('sad', 'ok', 'glad');
    CREATE TABLE big AS SELECT i::INTEGER AS i, CASE WHEN i % 11 <> 0 THEN i % 7 END AS g,
        CASE WHEN i % 5 <> 0 THEN (i * 7919) % 1000 - 500 END AS v, i * 0.37 - 90 AS d,
        CASE WHEN i % 13 <> 0 THEN (i % 97) / 4.0 END::DOUBLE AS q,
        (i % 89)::DECIMAL(9, 2) / 4 AS m, 'x' || (i * 31 % 45) AS s, i % 3 = 0 AS b,
        DATE '2024-01-01' + (i % 40)::INTEGER AS t,
        enum_range(NULL::mood)[i % 3 + 1]::mood AS e,
        CASE WHEN i % 4 = 0 THEN 'good' WHEN i % 4 = 1 THEN 'bad' END AS r
        FROM range(700) AS r(i);
    CREATE TABLE small AS SELECT * FROM (VALUES (0, 'zero'), (1, 'one'), (1, 'uno'), (4, NULL),
        (9, 'nine'), (NULL, 'none')) AS s(g, name);
    CREATE TABLE other AS SELECT i * 2 AS i, i % 5 AS k FROM range(650) AS r(i);
    CREATE TABLE none AS SELECT * FROM big WHERE false;
"""
STREAMED = [
    "SELECT g, COUNT(*), COUNT(v), SUM(v), MIN(v), MAX(v), AVG(v) FROM big GROUP BY g",
    "SELECT COUNT(*), SUM(v), AVG(q), AVG(m), SUM(m), MIN(s), MAX(t), MIN(e), SUM(q) FROM big",
    "SELECT s, e, BOOL_AND(b), BOOL_OR(b), COUNT_IF(b), SUM(m) FROM big GROUP BY ALL",
    "SELECT g, COUNT(*) FILTER (WHERE b), AVG(v) FILTER (WHERE q > 3), MAX(s) FILTER (WHERE b),"
    " COUNT_IF(b) FILTER (WHERE v > 0) FROM big GROUP BY g HAVING COUNT(*) > 1 ORDER BY g",
    "SELECT g, SUM(v) + COUNT(*) AS x FROM big WHERE s LIKE '%4' AND i > 300 GROUP BY g",
    "SELECT AVG(v), COUNT(*), MIN(q) FROM big WHERE i < 0",
    "SELECT upper(s) AS u, length(s) % 2 AS l, COUNT(*) FROM big GROUP BY ALL",
    "SELECT b, ANY_VALUE(b), SUM(i // 3) FROM big GROUP BY b",
    "SELECT g, b, COUNT(*) FROM big GROUP BY ROLLUP (g, b)",
    "SELECT i, v * 2 AS w, s FROM big WHERE g = 3 AND v > 0",
    "SELECT DISTINCT g, b FROM big",
    "SELECT name, SUM(v), COUNT(*) FROM big JOIN small USING (g) GROUP BY name",
    "SELECT name, COUNT(*), MAX(i) FROM big LEFT JOIN small USING (g) GROUP BY name",
    "SELECT COUNT(*) FROM big WHERE g IN (SELECT g FROM small WHERE name IS NOT NULL)",
    "SELECT COUNT(*) FROM big WHERE NOT EXISTS (FROM small WHERE small.g = big.g)",
    "SELECT g IN (SELECT g FROM small) AS inside, COUNT(*) FROM big GROUP BY ALL",
    "SELECT SUM(v - (SELECT MAX(g) FROM small)) FROM big",
    "SELECT i, q FROM big ORDER BY q DESC NULLS LAST, i LIMIT 7 OFFSET 3",
    "SELECT i, ROW_NUMBER() OVER (ORDER BY n) FROM (SELECT g AS i, COUNT(*) AS n, SUM(v) AS w"
    " FROM big GROUP BY g) WHERE w IS NOT NULL AND n > 90",
    "SELECT i FROM big EXCEPT SELECT i FROM other",
    "SELECT i, names FROM big LEFT JOIN (SELECT g, STRING_AGG(name, '+' ORDER BY name) AS names"
    " FROM small GROUP BY g) q USING (g) WHERE i % 2 = 0",
]
SEMANTIC = [
    "SELECT g, COUNT(*) AS n, AVG(AI_SCORE(r)) AS a FROM big GROUP BY g",
    "SELECT i, AI_IF(r) AS p FROM big WHERE AI_IF(s || r) OR v > 400",
    "SELECT AI_IF(r) AS p, COUNT(*) AS n FROM big GROUP BY p",
    "SELECT COUNT(DISTINCT s) AS n FROM big WHERE AI_IF(r)",
    "SELECT i, ROW_NUMBER() OVER (ORDER BY v, i) AS n FROM big WHERE AI_IF(r)",
    "SELECT i FROM big WHERE AI_IF(r) ORDER BY q, i LIMIT 5",
    "SELECT name, COUNT(*) AS n FROM big JOIN small USING (g) WHERE AI_IF(r) GROUP BY name",
    "SELECT COUNT(*) AS n, MAX(name) AS m FROM big JOIN small USING (g) WHERE AI_IF(name) OR g < 3",
    "SELECT a.i, b.i FROM big a FULL JOIN other b USING (i) WHERE AI_IF(a.r) AND a.i < 90",
    "SELECT COUNT(*) AS n FROM big WHERE AI_IF(('Is {0} like {1}? ', r, s))",
    "SELECT s FROM big WHERE AI_IF(r) UNION ALL SELECT name FROM small",
    "SELECT g, STRING_AGG(s, ',' ORDER BY i) FILTER (WHERE AI_IF(r)) AS a,"
    " LIST(AI_IF(r) ORDER BY i) AS l FROM big GROUP BY g",
    "WITH p AS (SELECT g, b FROM big WHERE AI_IF(r)) SELECT (SELECT COUNT(*) FROM p) AS n,"
    " COUNT(*) AS c FROM p WHERE b",
]
IN_DUCKDB = [
    "SELECT COUNT(DISTINCT s), COUNT(*) FROM big",
    "SELECT g, MEDIAN(v), COUNT(*) FROM big GROUP BY g",
    "SELECT i, LAG(v) OVER (PARTITION BY g ORDER BY i) FROM big",
    "SELECT COUNT(*), SUM(k) FROM big JOIN other USING (i)",
    "SELECT k, COUNT(v) FROM other LEFT JOIN big USING (i) GROUP BY k",
    "SELECT STDDEV(q) FROM big",
    "SELECT g, STRING_AGG(s, ',' ORDER BY i), LIST(v ORDER BY i) FROM big GROUP BY g",
    "SELECT i, names FROM other JOIN (SELECT g AS i, STRING_AGG(s, ',' ORDER BY i) AS names"
    " FROM big GROUP BY g) q USING (i)",
]


LATE = "s || repeat('y', CASE WHEN i < 500 THEN 0 ELSE 60 END)"
"""A prompt that is too long for the model in the last 200 rows."""


@dataclass(frozen=True)
class Engines:
    """DuckDB with macros for the model, and the same tables for sqlax."""

    oracle: duckdb.DuckDBPyConnection
    database: duckdb.DuckDBPyConnection

    def execution(self, sql: str, mode: Mode, *, compiled: bool = False) -> Execution:
        """The query with little memory."""
        model = FakeModel({"odd": "maybe", "good": 1.0}, default=0.0, context_length=48)
        made = execution(plan_query(sql, self.database, mode=mode), model, compiled=compiled)
        made.memory_budget = BUDGET
        return made

    def check(self, sql: str, outcome: Outcome) -> None:
        """Names, types and rows are DuckDB's, and nothing is left behind."""
        got = answer_of(Result(outcome, self.database).relation)
        ordered = "LIMIT" in sql or "HAVING" in sql
        what = difference(answer_of(self.oracle.sql(sql)), got, ordered=ordered)
        assert what is None, what
        assert left_behind(self.database) == []


def left_behind(database: duckdb.DuckDBPyConnection) -> list[str]:
    """What a query has registered and not removed."""
    found = database.sql("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()
    return [name for (name,) in found]


@pytest.fixture(scope="module")
def engines() -> Iterator[Engines]:
    with duckdb.connect() as oracle, duckdb.connect() as database:
        for connection in (oracle, database):
            connection.execute(TABLES)
        oracle.execute(MACROS.read_text("utf-8"))
        yield Engines(oracle, database)


@pytest.mark.parametrize("sql", STREAMED)
def test_what_can_be_divided_is_streamed(engines: Engines, sql: str) -> None:
    execution = engines.execution(sql, "graph")
    assert "STREAMED ~700 rows in ~3 morsels of 256" in explain_text(execution)
    engines.check(sql, execution.run())


@pytest.mark.parametrize(
    ("sql", "mode"),
    [*((sql, "graph") for sql in SEMANTIC), *((sql, "hybrid") for sql in SEMANTIC[::3])],
)
def test_semantic_operators_are_streamed(engines: Engines, sql: str, mode: Mode) -> None:
    execution = engines.execution(sql, mode)
    assert "STREAMED" in explain_text(execution)
    engines.check(sql, execution.run())


@pytest.mark.parametrize("sql", IN_DUCKDB)
def test_what_cannot_be_divided_runs_in_duckdb(engines: Engines, sql: str) -> None:
    execution = engines.execution(sql, "graph")
    assert "DUCKDB runs what the memory budget does not hold" in explain_text(execution)
    engines.check(sql, execution.run())


@pytest.mark.parametrize("sql", ["SELECT COUNT(*), SUM(v) FROM none", "SELECT * FROM none"])
def test_no_rows(engines: Engines, sql: str) -> None:
    engines.check(sql, engines.execution(sql, "graph").run())


def test_one_program_runs_every_morsel(engines: Engines) -> None:
    sql = "SELECT g, s, COUNT(*), SUM(v), MAX(t) FROM big WHERE upper(s) <> 'X1' GROUP BY g, s"
    execution = engines.execution(sql, "graph", compiled=True)
    first, again = execution.run(), execution.run()
    engines.check(sql, first)
    assert first.report.scanned == (700,)
    assert (first.report.traces, again.report.traces) == (2, 0)  # a morsel's, and what merges


def test_an_answer_is_asked_for_once(engines: Engines) -> None:
    sql = "SELECT COUNT(*) FROM big WHERE AI_IF(s)"
    streamed, whole = (engines.execution(sql, "graph", compiled=True) for _ in range(2))
    whole.memory_budget = None
    (operator,), (expected,) = streamed.run().report.operators, whole.run().report.operators
    assert (operator.rows, operator.calls) == (700, 45)
    assert operator == expected


def test_texts_of_every_morsel_may_be_new(engines: Engines) -> None:
    sql = (
        "SELECT COUNT(*) AS n, MAX(u) AS m FROM (SELECT s || '-' || i AS u FROM big) WHERE AI_IF(u)"
    )
    plain = "SELECT COUNT(*) FROM (SELECT repeat(s, 99) || i AS u, i FROM big) WHERE u > 'x3'"
    for text in (sql, plain):
        engines.check(text, engines.execution(text, "graph").run())


def test_a_limit_stops_reading(engines: Engines) -> None:
    sql = "SELECT i FROM big WHERE AI_IF(r) AND i > 260 LIMIT 3"
    outcome = engines.execution(sql, "graph").run()
    assert outcome.table.column(0).to_pylist() == [264, 268, 272]
    assert outcome.report.scanned == (512,)


def test_row_errors_leave_nothing_behind(engines: Engines) -> None:
    raising = f"SELECT COUNT(*) FROM big WHERE AI_IF({LATE}, on_error => 'raise')"
    with pytest.raises(RowError, match="row 501 "):
        engines.execution(raising, "graph").run()
    assert left_behind(engines.database) == []
    assert engines.database.sql("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(("ratio", "fails"), [(0.5, False), (0.1, True)])
def test_the_share_of_failures_is_of_all_rows(engines: Engines, ratio: float, fails: bool) -> None:
    call = f"AI_IF({LATE}, max_error_ratio => {ratio})"
    execution = engines.execution(f"SELECT COUNT(*) FROM big WHERE {call}", "graph")
    if fails:
        with pytest.raises(RowError, match="of 700 rows"):
            execution.run()
    else:
        assert execution.run().report.operators[0].failed == 200


def test_an_interrupt_leaves_nothing_behind(engines: Engines) -> None:
    execution = engines.execution("SELECT g, COUNT(*) FROM big WHERE AI_IF(r) GROUP BY g", "graph")
    with pytest.raises(KeyboardInterrupt):
        execution.run(interrupt_after(12))
    assert left_behind(engines.database) == []
    assert engines.database.sql("SELECT 1").fetchall() == [(1,)]


def interrupt_after(calls: int) -> Callable[[Progress], None]:
    """Ctrl-C at some call."""
    left = iter(range(calls))

    def on_progress(_: Progress) -> None:
        if next(left, None) is None:
            raise KeyboardInterrupt

    return on_progress
