"""Input at its edges: nothing is lost, nothing is truncated, the connection stays usable."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path

import pytest

import sqlax
from sqlax.compiled import CompiledQuery
from sqlax.errors import DataError
from sqlax.models.fake import FakeModel
from tests.surface.conftest import ANSWERS, Open


@pytest.mark.parametrize("count", [0, 1])
def test_tables_without_rows_and_of_one_row(fake: Open, count: int) -> None:
    con = fake()
    con.execute(f"CREATE TABLE t AS SELECT i, 'good' AS x FROM range({count}) r(i)")
    query = "SELECT i FROM t WHERE AI_IF(('q ', x)) ORDER BY i"
    assert con.sql(query).fetchall() == [(i,) for i in range(count)]
    assert con.sql("SELECT COUNT(*), SUM(i) FROM t WHERE AI_IF(('q ', x))").fetchall() == [
        (count, 0 if count else None)
    ]


def test_empty_and_blank_texts_are_evaluated(fake: Open) -> None:
    con = fake({" ": "yes"}, default="no")
    con.execute("CREATE TABLE t AS SELECT unnest(['', ' ', '   ', chr(10), NULL]) AS x")
    rows = con.sql("SELECT AI_IF((x, '.'), raw => TRUE) FROM t")
    assert rows.fetchall() == [(False,), (True,), (True,), (False,), (None,)]
    assert rows.report.calls == 4


def test_ten_of_a_million_rows_pass_and_only_they_are_read(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(1000000) r(i)")
    rows = con.sql("SELECT COUNT(*) FROM t WHERE i % 100000 = 7 AND AI_IF(('q ', x))")
    assert rows.fetchall() == [(10,)]
    assert rows.report.calls == 10
    assert rows.report.scanned == (10,)


def test_texts_beyond_the_token_budget_are_streamed(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, CASE WHEN i % 3 = 0 THEN 'bad' ELSE 'good' END"
        " || ' text number ' || i AS x FROM range(1000) r(i)"
    )
    query = "SELECT COUNT(*), SUM(i) FROM t WHERE AI_IF(('q ', x))"
    whole = con.sql(query)
    small = sqlax.connect(con.duckdb, FakeModel(ANSWERS), token_budget=2000)
    streamed = small.sql(query)
    assert streamed.fetchall() == whole.fetchall()
    assert streamed.report.calls == whole.report.calls == 1000


def test_a_streamed_limit_gives_the_same_rows(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, 'good ' || (i * 7919 % 1000) AS x FROM range(1000) r(i)"
    )
    small = sqlax.connect(con.duckdb, FakeModel(ANSWERS), token_budget=1000)
    query = "SELECT i FROM t WHERE AI_IF(('q ', x)) LIMIT 70 OFFSET 5"
    assert small.sql(query).fetchall() == [(i,) for i in range(5, 75)]


def test_a_prompt_of_two_columns_is_streamed_too(fake: Open) -> None:
    con = fake()
    con.execute(
        "CREATE TABLE t AS SELECT i, 'good ' || i AS x, CASE WHEN i % 4 = 0 THEN 'odd '"
        " ELSE 'bad ' END || (i * 7919 % 1000) AS y FROM range(1000) r(i)"
    )
    query = "SELECT COUNT(*), SUM(i) FROM t WHERE AI_IF((y, ' and ', x))"
    small = sqlax.connect(con.duckdb, FakeModel({"odd 1": "yes", "bad": "no"}), token_budget=4000)
    streamed = small.sql(query)
    large = sqlax.connect(con.duckdb, FakeModel({"odd 1": "yes", "bad": "no"}))
    assert streamed.fetchall() == large.sql(query).fetchall()
    assert streamed.report.calls == 1000


def test_invalid_utf8_in_a_file_is_an_error_that_says_so(fake: Open, tmp_path: Path) -> None:
    con = fake()
    file = tmp_path / "reviews.csv"
    file.write_bytes(b"x\ngood\nb\xff\xfead\n")
    source = f"read_csv('{file}', header = true, columns = {{'x': 'VARCHAR'}})"
    query = f"SELECT x FROM {source} WHERE AI_IF(('q ', x))"
    with pytest.raises(DataError, match=r"(?i)utf-8"):
        con.sql(query).fetchall()
    assert con.sql("SELECT 1").fetchall() == [(1,)]


def run_often(query: CompiledQuery) -> None:
    for _ in range(50):
        query.run()


@pytest.mark.usefixtures("_interrupts")
def test_ctrl_c_in_the_middle_leaves_the_connection_usable() -> None:
    con = sqlax.connect(model=FakeModel(ANSWERS))
    con.execute("CREATE TABLE t AS SELECT 'good ' || i AS x FROM range(5000) r(i)")
    query = con.compile("SELECT COUNT(*) FROM t WHERE AI_IF(('q ', x))")
    seen: list[int] = []

    def interrupt(progress: object) -> None:
        seen.append(1)
        if len(seen) == 2:
            threading.Thread(target=_thread.interrupt_main).start()

    query._on_progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        run_often(query)
    query._on_progress = None
    assert query.run().fetchall() == [(5000,)]


def test_statements_without_semantic_functions_go_to_duckdb(fake: Open, tmp_path: Path) -> None:
    con = fake()
    con.execute("CREATE TABLE t (x VARCHAR); INSERT INTO t VALUES ('good'), ('bad')")
    target = tmp_path / "out.csv"
    con.execute(f"COPY t TO '{target}' (HEADER)")
    assert target.read_text() == "x\ngood\nbad\n"
    con.execute(f"COPY (SELECT x, AI_IF(('q ', x)) AS p FROM t) TO '{target}' (HEADER)")
    assert target.read_text() == "x,p\ngood,true\nbad,false\n"
    con.execute("CREATE TABLE u AS SELECT x FROM t WHERE AI_IF(('q ', x))")
    con.execute("INSERT INTO u SELECT x FROM t WHERE NOT AI_IF(('q ', x))")
    assert con.sql("FROM u").fetchall() == [("good",), ("bad",)]
