"""A small run of the generator, and the parts of which it is made."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from sqlglot import parse_one

from tests.fuzz.case import Case, Failure
from tests.fuzz.compare import Answer, difference
from tests.fuzz.draw import Draw
from tests.fuzz.oracle import InvalidQueryError, Oracle, connect
from tests.fuzz.planning import Planner, is_mixed
from tests.fuzz.queries import random_query
from tests.fuzz.reductions import reductions
from tests.fuzz.report import as_test
from tests.fuzz.run import Plan, Tally, run
from tests.fuzz.shrink import shrink
from tests.fuzz.tables import Column, Table, random_tables

T = Table("t", (Column("a", "INTEGER"), Column("b", "VARCHAR")), (("1", "'x'"), ("2", "NULL")))


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_random_queries_are_answered_as_duckdb_answers_them(seed: int) -> None:
    modes = ("graph", "duckdb", "mixed")
    tally = run(Plan(count=20, seed=seed, modes=modes, semantic=0.0, compiled=0.0))
    assert [as_test(failure, failure.case) for failure in tally.failures] == []
    assert tally.queries == 20
    assert tally.mixed["mixed"] >= 5


def test_jobs_share_the_queries_of_a_run() -> None:
    whole = Plan(count=60, seed=1, first=10)
    parts = [replace(whole, job=job, jobs=2) for job in range(2)]
    numbers = [n for part in parts for _, places in part.rounds() for n in places]
    assert sorted(numbers) == [*range(10, 70)]
    assert all(n // 25 == r for r, places in whole.rounds() for n in places)


def test_tallies_of_jobs_are_added() -> None:
    one, two = Tally(3, {"graph": 1.0}), Tally(4, {"graph": 0.5, "mixed": 1.0})
    one.add(two)
    assert (one.queries, one.seconds) == (7, {"graph": 1.5, "mixed": 1.0})


def test_a_seed_places_a_query() -> None:
    sql = "SELECT l.a, COUNT(*) FROM t l JOIN t r ON l.a < r.a GROUP BY l.a ORDER BY 1 LIMIT 5"
    with connect((T,)) as database:
        plans = [Planner(database).plan(sql, f"mixed:{seed % 6}") for seed in range(12)]
    assert [p.placed for p in plans[:6]] == [p.placed for p in plans[6:]]
    assert any(map(is_mixed, plans))


def test_a_seed_decides_tables_and_queries() -> None:
    first, second = (random_tables(Draw("7")) for _ in range(2))
    assert first == second
    assert random_query(Draw("8"), first, True) == random_query(Draw("8"), second, True)


def test_most_random_queries_are_valid() -> None:
    tables = random_tables(Draw("valid"))
    oracle, refused = Oracle(tables), 0
    for number in range(60):
        try:
            oracle.answer(random_query(Draw(f"valid {number}"), tables, number % 2 == 0))
        except InvalidQueryError:
            refused += 1
    oracle.close()
    assert refused < 10


@pytest.mark.parametrize(
    ("got", "what"),
    [
        (Answer(("a",), ("INTEGER",), ((2,), (1,))), None),
        (Answer(("b",), ("INTEGER",), ((1,), (2,))), "columns"),
        (Answer(("a",), ("BIGINT",), ((1,), (2,))), "types"),
        (Answer(("a",), ("INTEGER",), ((1,),)), "expected 2, got 1"),
        (Answer(("a",), ("INTEGER",), ((1,), (None,))), r"\(2,\)"),
        (Answer(error="DataError: no"), "expected rows, got DataError"),
    ],
    ids=["equal", "name", "type", "count", "value", "error"],
)
def test_what_differs_is_said(got: Answer, what: str | None) -> None:
    found = difference(Answer(("a",), ("INTEGER",), ((1,), (2,))), got)
    assert (found is None) if what is None else (found is not None)
    if found is not None and what is not None:
        assert what.replace("\\", "") in found


def test_floats_are_equal_within_a_part_of_a_billion() -> None:
    one, nan = Answer(("a",), ("DOUBLE",), ((1.0,), (float("nan"),))), float("nan")
    assert difference(one, replace(one, rows=((nan,), (1.0 + 1e-12,)))) is None
    assert difference(one, replace(one, rows=((nan,), (1.0 + 1e-6,)))) is not None


def test_a_query_without_one_answer_is_refused() -> None:
    oracle = Oracle((T,))
    with pytest.raises(InvalidQueryError, match="rows"):
        oracle.answer("SELECT FIRST(a) AS f FROM t")
    with pytest.raises(InvalidQueryError, match="no_such"):
        oracle.answer("SELECT no_such FROM t")
    oracle.close()


def test_reductions_are_smaller_queries() -> None:
    tree = parse_one("SELECT a, b FROM t WHERE a > 1 AND b = 'x' LIMIT 3", dialect="duckdb")
    texts = {smaller.sql(dialect="duckdb") for smaller in reductions(tree)}
    assert "SELECT a, b FROM t LIMIT 3" in texts
    assert "SELECT a, b FROM t WHERE a > 1 LIMIT 3" in texts
    assert "SELECT a FROM t WHERE a > 1 AND b = 'x' LIMIT 3" in texts


def test_a_failure_becomes_a_small_test() -> None:
    case = Case((T,), "SELECT a, b || 'y' AS c FROM t WHERE a > 1 AND b IS NULL ORDER BY a")
    small = shrink(case, partial(_mentions, "IS NULL"))
    assert len(small.sql) < len(case.sql)
    assert "IS NULL" in small.sql
    assert small.tables == ()
    failure = Failure("1:2", case, "graph", False, "rows: expected 1, got 2")
    assert 'id="1:2 graph"' in as_test(failure, small)


def _mentions(text: str, case: Case) -> bool:
    return text in case.sql
