"""NULL and three-valued logic: a row that the model did not judge is NULL, never TRUE."""

from __future__ import annotations

import pytest

from tests.surface.conftest import Open


def test_t1_a_null_text_is_dropped_without_a_call(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('good'), (NULL)) v(x)")
    rows = con.sql("SELECT x FROM t WHERE AI_IF(('q ', x))")
    assert rows.fetchall() == [("good",)]
    assert rows.report.calls == 1


def test_t2_any_null_part_is_null_and_a_blank_text_is_evaluated(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT * FROM (VALUES (1,'good',NULL),(2,'',' '),(3,NULL,'x')) v(i,a,b)"
    )
    rows = con.sql("SELECT i, AI_IF(PROMPT('{0} and {1}', a, b)) FROM t ORDER BY i")
    assert rows.fetchall() == [(1, None), (2, False), (3, None)]
    assert rows.report.calls == 1


def test_t2_only_null_parts_make_no_call(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT NULL::VARCHAR AS x FROM range(3)")
    rows = con.sql("SELECT AI_IF(PROMPT('{0}?', x)) FROM t")
    assert rows.fetchall() == [(None,)] * 3
    assert rows.report.calls == 0


@pytest.mark.parametrize("said", ["", "untrue", "maybe"])
def test_t4_an_answer_outside_the_labels_is_null_never_true(fake: Open, said: str) -> None:
    con = fake({"good": "yes", "odd": said})
    con.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('good'), ('odd')) v(x)")
    rows = con.sql("SELECT x, AI_IF(('q ', x)) FROM t ORDER BY x")
    assert rows.fetchall() == [("good", True), ("odd", None)]
    assert [f.reason for f in rows.errors] == ["the model gave none of the labels a probability"]
    assert con.sql("SELECT x FROM t WHERE AI_IF(('q ', x))").fetchall() == [("good",)]


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        ("NOT AI_IF(('q ', x))", ["bad"]),
        ("AI_IF(('q ', x)) IS NULL", ["odd"]),
        ("AI_IF(('q ', x)) OR TRUE", ["bad", "good", "odd"]),
        ("AI_IF(('q ', x)) AND NOT AI_IF(('q ', x))", []),
        ("AI_IF(('q ', x)) IS NOT TRUE", ["bad", "odd"]),
        ("COALESCE(AI_IF(('q ', x)), TRUE)", ["good", "odd"]),
        ("AI_IF(('q ', x)) IN (TRUE, NULL)", ["good"]),
    ],
)
def test_t7_three_valued_logic(fake: Open, condition: str, kept: list[str]) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT * FROM (VALUES ('good'), ('bad'), ('odd')) v(x)")
    rows = con.sql(f"SELECT x FROM t WHERE {condition} ORDER BY x")
    assert [x for (x,) in rows.fetchall()] == kept


def test_t7_or_true_makes_no_call(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x FROM range(5)")
    rows = con.sql("SELECT COUNT(*) FROM t WHERE AI_IF(('q ', x)) OR TRUE")
    assert rows.fetchall() == [(5,)]
    assert rows.report.calls == 0
