"""Compiled once, run many times: no second trace, and the program is found by other processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import jax
import pandas as pd

import sqlax
from sqlax.models.fake import FakeModel
from tests.surface.conftest import ANSWERS, Open


def test_a_second_run_traces_nothing(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good ' || i AS x FROM range(20) r(i)")
    query = con.compile("SELECT COUNT(*) FROM t WHERE AI_IF(('q ', x))")
    assert query.run().fetchall() == [(20,)]
    con.execute("INSERT INTO t VALUES ('bad'), ('good')")
    second = query.run()
    assert second.fetchall() == [(21,)]
    assert second.report.traces == 0


def test_parameters_are_data(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    con.mode = "graph"
    query = con.compile("SELECT COUNT(*) FROM t WHERE i < $most AND AI_IF(('q ', x))", {"most": 5})
    counts = [query.run(most=most) for most in (5, 10, 0)]
    assert [result.fetchall() for result in counts] == [[(5,)], [(10,)], [(0,)]]
    assert [result.report.calls for result in counts] == [5, 10, 0]
    assert [result.report.traces for result in counts] == [1, 0, 0]


def test_a_second_run_compiles_nothing_whatever_the_size_of_its_result(fake: Open) -> None:
    con, compiled = fake(), list[str]()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    query = con.compile("SELECT i FROM t WHERE i < $most AND AI_IF(('q ', x))", {"most": 5})
    assert len(query.run(most=5).fetchall()) == 5

    def listen(event: str, duration_secs: float, **_: str | int) -> None:
        if "compile" in event:
            compiled.append(event)

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        assert [len(query.run(most=most).fetchall()) for most in (4, 7, 11)] == [4, 7, 11]
        assert not compiled
        jax.jit(lambda x: x + len(compiled))(1)
        assert compiled, "JAX reports compilations under another name"
    finally:
        jax.monitoring.unregister_event_duration_listener(listen)


def test_a_text_that_was_run_before_is_not_traced_again(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    text = "SELECT COUNT(*) FROM t WHERE AI_IF(('q ', x)) AND i < $most"
    first, second = con.sql(text, {"most": 5}), con.sql(text, {"most": 6})
    assert (first.fetchall(), second.fetchall()) == ([(5,)], [(6,)])
    assert (first.report.traces, second.report.traces) == (1, 0)


def test_a_text_is_traced_again_over_other_types_and_constants(fake: Open) -> None:
    con, text = fake(), "SELECT SUM(i + getvariable('v')) FROM t WHERE AI_IF(('q ', x))"
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    con.execute("SET VARIABLE v = 1")
    assert con.sql(text).fetchall() == [(210,)]
    con.execute("SET VARIABLE v = 2")
    assert con.sql(text).fetchall() == [(230,)]
    con.execute(
        "CREATE OR REPLACE TABLE t AS SELECT i / 2 AS i, 'good ' || i AS x FROM range(4) r(i)"
    )
    assert con.sql(text).fetchall() == [(11.0,)]


def test_a_prompt_parameter_is_part_of_the_prompt(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT unnest(['good', 'bad']) AS x")
    query = "SELECT x FROM t WHERE AI_IF((?, x))"
    assert con.sql(query, ["Is it so? "]).fetchall() == [("good",)]
    assert con.sql(query, [None]).fetchall() == []


def test_compile_over_data_frames() -> None:
    frame = pd.DataFrame({"x": ["good", "bad", None]})
    query = sqlax.compile(
        "SELECT x, AI_IF(('q ', x)) AS p FROM frame", {"frame": frame}, FakeModel(ANSWERS)
    )
    assert query.run().fetchall() == [("good", True), ("bad", False), (None, None)]
    assert "stablehlo.while" in query.stablehlo()
    assert query.cost().calls == 2


_PROGRAM = """
import sqlax
from sqlax.models.fake import FakeModel
con = sqlax.connect(model=FakeModel({"good": "yes"}))
con.execute("CREATE TABLE t AS SELECT 'good' AS x")
print(con.sql("SELECT AI_IF(('q ', x)) FROM t").fetchall())
"""


def test_another_process_finds_the_executable(tmp_path: Path) -> None:
    def run() -> set[str]:
        environment = {**os.environ, "SQLAX_CACHE": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "[(True,)]\n"
        return {path.name for path in (tmp_path / "programs").iterdir()}

    first = {name for name in run() if "step" in name}
    second = {name for name in run() if "step" in name}
    assert first
    assert second == first


def test_nothing_in_the_users_process_changes(fake: Open) -> None:
    import jax

    before = {
        name: getattr(jax.config, name) for name in ("jax_enable_x64", "jax_compilation_cache_dir")
    }
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'good' AS x")
    assert con.sql("SELECT AI_IF(('q ', x)) FROM t").fetchall() == [(True,)]
    assert {name: getattr(jax.config, name) for name in before} == before


def test_a_limit_may_be_a_parameter(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    query = con.compile("SELECT i FROM t WHERE AI_IF(('q ', x)) LIMIT $n", {"n": 2})
    assert [len(query.run(n=n).fetchall()) for n in (2, 5, 0, 2)] == [2, 5, 0, 2]


def test_question_marks_are_numbered_by_their_place_in_the_text(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(20) r(i)")
    query = "SELECT i + ?, AI_IF((?, x)) FROM t WHERE i >= ? ORDER BY i LIMIT ? OFFSET ?"
    assert con.sql(query, [100, "q ", 3, 2, 1]).fetchall() == [(104, True), (105, True)]


def test_wide_numbers_are_carried(fake: Open) -> None:
    con = fake()
    wide = 123456789012345678901234567890
    con.execute(f"CREATE TABLE t AS SELECT {wide}::HUGEINT AS h, 'good' AS x")
    assert con.sql("SELECT h, AI_IF(('q ', x)) FROM t").fetchall() == [(wide, True)]
