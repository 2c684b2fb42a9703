"""Constants of a run: parameters anywhere in a prompt, other types, volatile functions."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sqlax.errors import BindError, DataError
from tests.surface.conftest import Open


@pytest.mark.parametrize(
    ("prompt", "kept"),
    [
        ("('x ', x, $p)", ["a"]),
        ("($p, x)", []),
        ("('good? ', $p)", ["a", "b"]),
        ("(x, ' ', $p, ' end')", ["a"]),
    ],
)
def test_a_parameter_is_read_wherever_it_stands(fake: Open, prompt: str, kept: list[str]) -> None:
    con = fake({"a cats": "yes", "acats": "yes", "good? cats": "yes", "cats": "no"})
    con.execute("CREATE TABLE t AS SELECT unnest(['a', 'b']) AS x")
    query = con.compile(f"SELECT x FROM t WHERE AI_IF({prompt}) ORDER BY x", {"p": "cats"})
    assert [x for (x,) in query.run().fetchall()] == kept
    assert query.run(p=None).fetchall() == []


def test_a_null_parameter_makes_a_count_of_tokens_null(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'abc' AS x")
    query = "SELECT AI_COUNT_TOKENS(('a', $p, x, $q)) FROM t"
    assert con.sql(query, {"p": None, "q": "zz"}).fetchall() == [(None,)]
    assert con.sql(query, {"p": "1", "q": "zz"}).fetchall() == [(7,)]


def test_a_parameter_of_another_type_is_planned_anew(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x, 1 AS g")
    query = con.compile(
        "SELECT $d AS d, g + $n, AI_IF(('q ', x)) FROM t", {"d": Decimal("12.5"), "n": 1}
    )
    assert query.run().fetchall() == [(Decimal("12.5"), 2, True)]
    wide = query.run(d=Decimal("1.255"), n=5_000_000_000)
    assert wide.fetchall() == [(Decimal("1.255"), 5_000_000_001, True)]


def test_names_that_are_no_parameters_are_refused(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x")
    query = con.compile("SELECT AI_IF(('costs $a ', x)), $n FROM t", {"n": 1})
    assert query.run().fetchall() == [(True, 1)]
    with pytest.raises(BindError, match=r"\$typo is not in the query; the query has: \$n"):
        query.run(typo=5)


def test_volatile_functions_are_called_for_each_row(fake: Open) -> None:
    con = fake()
    con.execute("CREATE SEQUENCE s; CREATE TABLE t AS SELECT 'good' AS x FROM range(3)")
    query = con.compile("SELECT nextval('s'), AI_IF(('q ', x)) FROM t")
    assert [query.run().fetchall(), query.run().fetchall()] == [
        [(1, True), (2, True), (3, True)],
        [(4, True), (5, True), (6, True)],
    ]


def test_a_table_that_changed_is_an_error(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x, 1 AS g")
    query = con.compile("SELECT g, AI_IF(('q ', x)) FROM t")
    assert query.run().fetchall() == [(1, True)]
    con.execute("CREATE OR REPLACE TABLE t AS SELECT 'good' AS x, 2.7::DOUBLE AS g")
    with pytest.raises(DataError, match="columns changed"):
        query.run()


def test_a_prefix_that_outgrows_its_capacity_is_compiled_anew(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x, 'bad' AS y")
    query = con.compile("SELECT AI_IF(($p, x)), AI_IF(('other ', y)) FROM t", {"p": "short "})
    assert query.run().fetchall() == query.run(p="long " * 30).fetchall() == [(True, False)]


def test_a_renamed_answer_keeps_its_row_under_a_limit(fake: Open) -> None:
    con = fake({"b~k6": "yes", "~": "no", "bad": "b", "good": "a"})
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i < 64 OR i % 2 = 0 THEN 'bad' ELSE 'good' END AS x,"
        " 'k' || (i % 14) AS y FROM range(200) r(i)"
    )
    inner = "SELECT i, AI_CLASSIFY(x, ['a', 'b']) AS c, y FROM t ORDER BY i"
    query = f"SELECT i FROM ({inner}) s WHERE AI_IF((c, '~', y))"
    whole = con.sql(query).fetchall()
    assert con.sql(f"{query} LIMIT 14").fetchall() == whole[:14]


def test_a_huge_limit_and_none_at_all(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x")
    assert con.sql("SELECT x FROM t WHERE AI_IF(x) LIMIT 600000000").fetchall() == [("good",)]
    none = con.sql("SELECT x FROM t WHERE AI_IF(x) LIMIT 0")
    assert none.fetchall() == []
    assert none.report.calls == 0


def test_correlated_subqueries_below_the_model(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT * FROM (VALUES (1, 'good a'), (2, 'good b')) v(k, x)")
    con.execute("CREATE TABLE u AS SELECT 2 AS k")
    query = "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AND AI_IF(('q ', t.x))"
    assert con.sql(query).fetchall() == [("good b",)]


def test_labels_that_cannot_be_told_apart_are_refused(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x")
    with pytest.raises(BindError, match="cannot tell the labels"):
        con.sql("SELECT AI_CLASSIFY(x, ['a', 'a\n', 'b']) FROM t").fetchall()


def test_rows_of_execute_outlive_other_statements(fake: Open) -> None:
    con = fake()
    con.execute("SELECT 41 + 1")
    assert con.sql("SELECT AI_IF(('good ', 'b'))").fetchall() == [(True,)]
    assert con.fetchall() == [(42,)]
