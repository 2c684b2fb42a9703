"""Rows that cannot be answered: NULL with a reason, or an error where the query asks for one."""

from __future__ import annotations

import pytest

from sqlax.errors import RowError
from tests.surface.conftest import Open

LONG = "'good ' || repeat('x', 200)"


def test_t5_a_prompt_over_the_context_is_null_and_the_others_go_on(fake: Open) -> None:
    con = fake(context_length=100)
    con.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES (1,'good'),(2,{LONG}),(3,'bad')) v(i,x)")
    rows = con.sql("SELECT i, AI_IF(('q ', x)) FROM t ORDER BY i")
    assert rows.fetchall() == [(1, True), (2, None), (3, False)]
    (failure,) = rows.errors
    assert failure.row == 2
    assert failure.reason == "the prompt is longer than the context of 100 tokens"


def test_t5_error_details_give_the_reason_beside_the_value(fake: Open) -> None:
    con = fake(context_length=100)
    con.execute(f"CREATE TABLE t AS SELECT * FROM (VALUES (1,'good'),(2,{LONG})) v(i,x)")
    rows = con.sql("SELECT AI_IF(('q ', x), return_error_details => TRUE) AS d FROM t ORDER BY i")
    reason = "the prompt is longer than the context of 100 tokens"
    assert rows.fetchall() == [
        ({"value": True, "error": None},),
        ({"value": None, "error": reason},),
    ]


@pytest.fixture
def one_of_five(fake: Open) -> object:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE i WHEN 3 THEN 'odd' ELSE 'good ' || i END AS x"
        " FROM range(1, 6) r(i)"
    )
    return con


def test_t6_on_error_raise_names_row_and_reason(one_of_five) -> None:  # type: ignore[no-untyped-def]
    query = "SELECT AI_IF(('q ', x), on_error => 'raise') FROM t"
    with pytest.raises(RowError, match=r"AI_IF failed on row 3 \('odd'\): the model gave none"):
        one_of_five.sql(query).fetchall()
    assert one_of_five.sql("SELECT COUNT(*) FROM t").fetchall() == [(5,)]


def test_t6_max_error_ratio_bounds_the_share_of_failures(one_of_five) -> None:  # type: ignore[no-untyped-def]
    query = "SELECT AI_IF(('q ', x), max_error_ratio => {}) FROM t"
    with pytest.raises(RowError, match=r"1 of 5 rows, more than 0\.1; row 3 \('odd'\)"):
        one_of_five.sql(query.format(0.1)).fetchall()
    assert len(one_of_five.sql(query.format(0.2)).fetchall()) == 5
