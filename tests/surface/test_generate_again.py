"""One program for many runs that write text: other parameters, other rows, fewer rows, joins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqlax.connection import Connection
from sqlax.runtime.program import Progress
from tests.surface.conftest import Open

ANSWERS: dict[str, str | float] = {
    "3 loud": "GREAT",
    "good": "fine",
    "bad": "poor",
    "fine": "ok",
}

ANSWERED = (["poor"] * 3 + ["fine"]) * 9
"""What the model says of the first 36 rows."""

pytestmark = [pytest.mark.usefixtures("compile_quickly"), pytest.mark.slow]


@pytest.fixture
def con(fake: Open) -> Connection:
    """Forty rows, every fourth of them good, all different."""
    connection = fake(ANSWERS, default="none")
    connection.execute(
        "CREATE TABLE t AS SELECT i, i % 2 AS k, "
        "CASE WHEN i % 4 = 3 THEN 'good ' ELSE 'bad ' END || i AS x FROM range(40) r(i)"
    )
    return connection


def test_parameters_and_rows_are_data(con: Connection) -> None:
    """In the prompt, and in a condition; then over other rows of the table.

    Two rows would be another program: their numbers fit one bit.
    """
    query = con.compile(
        "SELECT i, AI_GENERATE((x, ' ', $how), max_tokens => 8) AS a FROM t WHERE i < $most"
        " ORDER BY i",
        {"how": "say", "most": 8},
    )
    first, second = query.run(), query.run(how="loud", most=4)
    con.execute("UPDATE t SET x = 'good ' || i")
    third = query.run(how="loud", most=3)
    assert first.fetchall() == [*enumerate(ANSWERED[:8])]
    assert second.fetchall() == [(0, "poor"), (1, "poor"), (2, "poor"), (3, "GREAT")]
    assert third.fetchall() == [(0, "fine"), (1, "fine"), (2, "fine")]
    assert [run.report.calls for run in (first, second, third)] == [8, 4, 3]
    assert [run.report.traces for run in (first, second, third)] == [1, 0, 0]


def test_a_compiled_query_runs_on_new_rows_without_a_trace(con: Connection) -> None:
    """As long as they are about as many: the lanes follow from their number."""
    query = con.compile("SELECT i, AI_GENERATE(('q ', x), max_tokens => 8) AS a FROM t ORDER BY i")
    assert query.run().report.traces == 1
    con.execute("DELETE FROM t WHERE i > 35")
    con.execute("INSERT INTO t VALUES (100, 0, 'neither'), (101, 0, NULL), (102, 0, 'a good one')")
    result = query.run()
    assert [a for _, a in result.fetchall()] == [*ANSWERED, "none", None, "fine"]
    assert (result.report.traces, result.report.calls) == (0, 38)


def test_a_limit_is_taken_before_the_model_is_asked(con: Connection) -> None:
    sql = "SELECT i, AI_GENERATE(('q ', x), max_tokens => 8) AS a FROM t ORDER BY i LIMIT 3"
    result = con.sql(sql)
    assert result.fetchall() == [(0, "poor"), (1, "poor"), (2, "poor")]
    assert result.report.calls == 3
    ((_, text),) = con.sql(f"EXPLAIN ANALYZE {sql}").fetchall()
    (line,) = [line for line in text.splitlines() if "AI_GENERATE #" in line]
    assert "3 calls" in line


def test_a_limit_over_a_condition_on_the_text_stops_early(con: Connection) -> None:
    """Sixteen rows are asked about at first, which hold four good ones."""
    condition = "AI_GENERATE(('q ', x), max_tokens => 8) = 'fine'"
    result = con.sql(f"SELECT i FROM t WHERE {condition} LIMIT 3")
    assert result.fetchall() == [(3,), (7,), (11,)]
    assert result.report.calls == 16


def test_a_join_that_needs_more_room_keeps_the_texts(con: Connection) -> None:
    """400 rows in place of 256: the second run only joins again."""
    query = con.compile(
        "SELECT a.i, b.i AS other, a.c FROM (SELECT i, k, AI_GENERATE(y, max_tokens => 8) AS c FROM"
        " (SELECT *, AI_GENERATE(('q ', x), max_tokens => 8) AS y FROM t)) a"
        " JOIN t b ON a.k = b.k AND a.c <> b.x ORDER BY 1, 2"
    )
    seen: list[Progress] = []
    outcome = replace(query._for({}), budget=1).run(seen.append)
    starts = [place for place, progress in enumerate(seen) if progress == Progress(0, 0, 0)]
    assert len(starts) == 2
    assert len(seen) - starts[1] < (starts[1] - starts[0]) // 2
    rows = outcome.table.num_rows
    assert rows == 800
    said = [("ok" if i % 4 == 3 else "none") for i in range(40) for _ in range(20)]
    assert outcome.table.column(2).to_pylist() == said
