"""T29: AI_AGG and AI_SUMMARIZE_AGG: windows that fit, NULLs, DISTINCT, FILTER, ORDER BY."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.compiler.placement import Mode
from sqlax.compiler.report import RunReport
from sqlax.connection import Connection
from sqlax.errors import BindError, RowError, UnsupportedError
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

ANSWERS: dict[str, str | float] = {
    "one\ntwo\nfour": "up",
    "four\ntwo\none": "down",
    "four\none\ntwo": "sorted",
    "one\ntwo": "few",
    "part\npart": "whole",
    "piece": "part",
    "yes?": "yes",
    "up": "yes",
    "7\n8": "numbers",
    "one": "yes?",
}
TABLES = """
    CREATE TABLE t (g INTEGER, i INTEGER, x VARCHAR);
    INSERT INTO t VALUES (1, 1, 'one'), (1, 2, 'two'), (1, 3, NULL), (1, 4, 'four'), (1, 5, 'two'),
        (2, 6, NULL), (3, 7, 'one'), (NULL, 8, 'one'), (NULL, 9, 'two');
    CREATE TABLE long AS SELECT i % 2 AS g, i, 'piece' || i AS x FROM range(40) r(i);
    CREATE TABLE odd AS SELECT i AS g, repeat('piece', 1 + 9 * i) AS x FROM range(2) r(i);
    CREATE TABLE empty (g INTEGER, x VARCHAR);
"""


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    model = FakeModel(ANSWERS, default="none", context_length=40)
    connection = sqlax.connect(model=model)
    connection.execute(TABLES)
    yield connection
    connection.close()


def levels(report: RunReport) -> list[int]:
    """The calls of each level of the only reduction."""
    (found,) = [stage for stage in report.stages if stage.stages or stage.operators]
    return [*(stage.calls for stage in found.stages), found.operators[0].calls]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["graph", "hybrid", "duckdb"])
def test_t29_clauses_are_those_of_any_aggregate(con: Connection, mode: Mode) -> None:
    """Beside other aggregates, in HAVING and ORDER BY; without ORDER BY texts are sorted."""
    con.mode = mode
    rows = con.sql("""
        SELECT g, AI_AGG(DISTINCT x, 'say', max_tokens => 6 ORDER BY x) AS a, COUNT(*) AS n,
            AI_AGG(x, 'say', max_tokens => 6 ORDER BY i) FILTER (WHERE i < 5) AS b,
            AI_AGG(x, 'say', max_tokens => 6 ORDER BY i DESC) FILTER (WHERE i < 5) AS c,
            AI_AGG(x, 'say', max_tokens => 6) FILTER (WHERE i < 5) AS d, MAX(x) AS m
        FROM t GROUP BY g
        HAVING AI_AGG(x, 'say', max_tokens => 6 ORDER BY i) FILTER (WHERE i < 5) IS NOT NULL
            OR g IS NULL OR g > 1
        ORDER BY AI_AGG(DISTINCT x, 'say', max_tokens => 6 ORDER BY x) NULLS FIRST, g
    """)
    assert rows.columns == ["g", "a", "n", "b", "c", "d", "m"]
    assert rows.fetchall() == [
        (2, None, 1, None, None, None, None),
        (None, "few", 2, None, None, None, "two"),
        (1, "sorted", 5, "up", "down", "sorted", "two"),
        (3, "yes?", 1, None, None, None, "one"),
    ]


def test_t29_a_group_beyond_the_context_is_hierarchical(con: Connection) -> None:
    """Room for 40 - 5 - 5 = 30 tokens: three or four texts of 6 or 7, then six answers of 4."""
    con.mode = "hybrid"
    query = con.compile("SELECT g, AI_AGG(x, 'say', max_tokens => 5) AS a FROM long GROUP BY g")
    result = query.run()
    assert sorted(result.fetchall()) == [(0, "whole"), (1, "whole")]
    assert levels(result.report) == [12, 1]
    assert sorted(query.run().fetchall()) == [(0, "whole"), (1, "whole")]


def test_t29_a_text_beyond_the_context_is_null_with_its_reason(con: Connection) -> None:
    con.mode = "hybrid"
    call = "AI_AGG(x, 'say', max_tokens => 5, {})"
    query = con.compile(
        f"SELECT g, {call.format('return_error_details => TRUE')} AS a FROM odd GROUP BY g"
    )
    reason = "the prompt is longer than the context of 40 tokens"
    assert sorted(query.run().fetchall()) == [
        (0, {"value": "part", "error": None}),
        (1, {"value": None, "error": reason}),
    ]
    raising = call.format("on_error => 'raise'")
    with pytest.raises(RowError, match="AI_AGG failed on row"):
        con.sql(f"SELECT {raising} FROM odd").fetchall()


def test_no_texts_have_no_answer_and_ask_nobody(con: Connection) -> None:
    con.mode = "hybrid"
    rows = con.sql("SELECT AI_SUMMARIZE_AGG(x) AS a, COUNT(*) AS n FROM empty")
    assert rows.fetchall() == [(None, 0)]
    assert rows.report.calls == 0
    assert con.sql("SELECT g, AI_AGG(x, 'say') FROM empty GROUP BY g").fetchall() == []


@pytest.mark.slow
def test_calls_inside_and_around(con: Connection) -> None:
    con.mode = "hybrid"
    rows = con.sql("""
        SELECT g, AI_AGG(AI_GENERATE(x, max_tokens => 6), 'say', max_tokens => 6) AS a,
            AI_IF(AI_AGG(x, 'say', max_tokens => 6 ORDER BY i) FILTER (WHERE i < 5)) AS b,
            CASE WHEN g > 1 THEN AI_AGG(i, 'say', max_tokens => 6) END AS c
        FROM t WHERE i <> 9 GROUP BY g ORDER BY g
    """)
    assert [(g, b, c) for g, _, b, c in rows.fetchall()] == [
        (1, True, None),
        (2, None, "none"),
        (3, None, "none"),
        (None, None, None),
    ]


def test_unaliased_columns_are_named_by_their_text(con: Connection) -> None:
    sql = "SELECT AI_AGG(DISTINCT x, 'say', max_tokens => 3 ORDER BY x) FILTER (WHERE i > 1) FROM t"
    (name,) = con.sql(sql).columns
    assert name == ("AI_AGG(DISTINCT x, 'say', max_tokens => 3 ORDER BY x) FILTER(WHERE i > 1)")


@pytest.mark.parametrize(
    ("sql", "error", "reason"),
    [
        ("SELECT AI_AGG(x) FROM t", BindError, "needs instruction"),
        ("SELECT AI_AGG(x, g) FROM t", BindError, "must be the same for all rows"),
        ("SELECT AI_AGG(x, '') FROM t", BindError, "instruction is empty"),
        ("SELECT AI_AGG(x, 'say'), g FROM t", BindError, "GROUP BY"),
        ("SELECT AI_AGG(x, 'say') OVER (PARTITION BY g) FROM t", UnsupportedError, "window"),
        ("SELECT g FROM t WHERE AI_AGG(x, 'say') = 'a'", BindError, "WHERE"),
    ],
)
def test_faults_are_named(con: Connection, sql: str, error: type[Exception], reason: str) -> None:
    with pytest.raises(error, match=reason):
        con.sql(sql).fetchall()
