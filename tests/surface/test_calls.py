"""How often the model is asked: once per distinct prompt, and only where the answer matters."""

from __future__ import annotations

import pytest

from tests.surface.conftest import Open


def test_t8_seven_distinct_texts_are_seven_calls(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good ' || (i % 7) AS x FROM range(100) r(i)")
    rows = con.sql("SELECT COUNT(*) FROM t WHERE AI_IF(('q ', x))")
    assert rows.fetchall() == [(100,)]
    assert rows.report.calls == 7


@pytest.mark.parametrize(
    "query",
    [
        "SELECT x, AI_IF(('q ', x)) AS p FROM t WHERE p",
        "SELECT x, AI_IF(('q ', x)) AS p FROM t ORDER BY p, x",
        "SELECT AI_IF(('q ', x)) AS p, COUNT(*) FROM t GROUP BY p HAVING p",
        "SELECT x, AI_IF(('q ', x)) AS p FROM t QUALIFY p AND ROW_NUMBER() OVER (ORDER BY p) > 0",
    ],
    ids=["where", "order", "having", "qualify"],
)
def test_t9_an_alias_used_twice_is_one_call_per_distinct_row(fake: Open, query: str) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good ' || (i % 4) AS x FROM range(12) r(i)")
    rows = con.sql(query)
    rows.fetchall()
    assert rows.report.calls == 4


@pytest.mark.parametrize("condition", ["g > 3 AND AI_IF(('q ', x))", "AI_IF(('q ', x)) AND g > 3"])
def test_t10_a_cheap_condition_comes_first_in_either_order(fake: Open, condition: str) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i AS g, 'good ' || i AS x FROM range(10) r(i)")
    rows = con.sql(f"SELECT g FROM t WHERE {condition} ORDER BY g")
    assert [g for (g,) in rows.fetchall()] == [4, 5, 6, 7, 8, 9]
    assert rows.report.calls == 6


def test_t11_a_limit_stops_early_and_keeps_the_first_rows(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i % 2 = 0 THEN 'bad ' ELSE 'good ' END || i AS x"
        " FROM range(10000) r(i)"
    )
    rows = con.sql("SELECT i FROM t WHERE AI_IF(('q ', x)) LIMIT 3")
    assert rows.fetchall() == [(1,), (3,), (5,)]
    assert rows.report.calls <= 64


def test_t11_a_limit_that_is_rarely_met_asks_for_more(fake: Open) -> None:
    con = fake({"rare": "yes"})
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i % 300 = 299 THEN 'rare ' ELSE '' END || i AS x"
        " FROM range(1000) r(i)"
    )
    rows = con.sql("SELECT i FROM t WHERE AI_IF(('q ', x)) LIMIT 2 OFFSET 1")
    assert rows.fetchall() == [(599,), (899,)]


def test_t12_a_failing_early_row_does_not_change_a_limited_result(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i = 1 THEN 'odd' ELSE 'good ' || i END AS x"
        " FROM range(500) r(i)"
    )
    query = "SELECT i FROM t WHERE AI_IF(('q ', x)) {}"
    whole = con.sql(query.format("")).fetchall()
    assert con.sql(query.format("LIMIT 4")).fetchall() == whole[:4] == [(0,), (2,), (3,), (4,)]


def test_t13_case_asks_only_where_its_branch_is_taken(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i AS g, 'good ' || i AS x FROM range(10) r(i)")
    rows = con.sql("SELECT g, CASE WHEN g > 3 THEN AI_IF(('q ', x)) END FROM t ORDER BY g")
    assert rows.fetchall() == [(g, True if g > 3 else None) for g in range(10)]
    assert rows.report.calls == 6


@pytest.mark.parametrize(("count", "calls"), [(10_000, 1), (1, 1), (0, 0)])
def test_t26_a_constant_prompt_is_one_call(fake: Open, count: int, calls: int) -> None:
    con = fake()
    con.execute(f"CREATE TABLE t AS SELECT i FROM range({count}) r(i)")
    rows = con.sql("SELECT AI_IF('Is this good?') FROM t")
    assert rows.fetchall() == [(True,)] * count
    assert rows.report.calls == calls


def test_a_second_condition_sees_only_the_rows_of_the_first(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT CASE WHEN i < 4 THEN 'good ' ELSE 'bad ' END || i AS x"
        " FROM range(10) r(i)"
    )
    rows = con.sql("SELECT COUNT(*) FROM t WHERE AI_IF(('a ', x)) AND AI_IF(('b ', x))")
    assert rows.fetchall() == [(4,)]
    assert [operator.calls for operator in rows.report.operators] == [10, 4]


def test_an_unread_answer_is_never_asked_for(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x FROM range(3)")
    rows = con.sql("SELECT x FROM (SELECT x, AI_IF(('q ', x)) AS p FROM t)")
    assert len(rows.fetchall()) == 3


def test_a_limit_over_two_conditions_keeps_answers_with_their_rows(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i % 3 = 0 THEN 'good ' ELSE 'bad ' END || i AS x,"
        " CASE WHEN i % 50 = 0 THEN 'good' ELSE 'odd' END || (999 - i) AS y FROM range(1000) r(i)"
    )
    query = "SELECT i FROM t WHERE AI_IF(('q ', x)) AND AI_IF((y, ' and ', y, x[5:])) LIMIT 4"
    rows = con.sql(query)
    assert rows.fetchall() == [(0,), (150,), (300,), (450,)]
    assert rows.report.calls < 1000


def test_answers_may_be_parts_of_prompts(fake: Open) -> None:
    con = fake({"art kind": "yes", "news kind": "no", "art": "art", "news": "news"})
    con.execute("CREATE TABLE t AS SELECT unnest(['art', 'news', NULL]) AS x")
    kinds = "SELECT x, AI_CLASSIFY(x, ['art', 'news']) AS k FROM t"
    rows = con.sql(f"SELECT x, AI_IF((k, ' kind')) FROM ({kinds})")
    assert rows.fetchall() == [("art", True), ("news", False), (None, None)]
