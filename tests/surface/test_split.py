"""`mode='split'`: each semantic operator a program of its own, and the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import sqlax
from sqlax.compiler.placement import Mode
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

TABLE = """
    CREATE TABLE r AS SELECT i AS id, i % 3 AS v, CASE i % 4 WHEN 0 THEN 'good' WHEN 1 THEN 'bad'
        WHEN 2 THEN 'good, odd' END AS x FROM range(9) t(i)
"""
QUERIES = {
    "value": "SELECT id, AI_SCORE(('much: ', x)) AS s FROM r ORDER BY id",
    "filter and sum": "SELECT SUM(id) FROM r WHERE AI_IF(x) AND v > 0",
    "two in turn": "SELECT id, AI_SCORE(('much: ', x)) AS s FROM r WHERE AI_IF(x) ORDER BY s, id",
    "side by side": "SELECT id, AI_IF(x) AS p, AI_CLASSIFY(x, ['a', 'b']) AS c FROM r ORDER BY id",
    "guarded": "SELECT id, CASE WHEN v > 0 THEN AI_IF(x) END AS p FROM r ORDER BY id",
    "groups": "SELECT v, COUNT(*) AS n FROM r WHERE AI_IF(x) GROUP BY v HAVING n < 2 ORDER BY v",
    "limit": "SELECT id FROM r WHERE AI_IF(x) ORDER BY id DESC LIMIT 2",
    "over an answer": "SELECT AI_IF(s) AS p FROM (SELECT id, x || AI_IF(x) AS s FROM r)",
    "join": "SELECT a.id, b.id FROM r a JOIN r b ON a.v = b.v AND a.id < b.id"
    " WHERE AI_IF((a.x, b.x)) ORDER BY ALL",
}


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel({"odd": 0.2, "good": 0.9}, default=0.1))
    connection.execute(TABLE)
    yield connection
    connection.close()


@pytest.mark.parametrize("name", QUERIES)
def test_split_and_one_program_agree_row_for_row(con: Connection, name: str) -> None:
    rows = _in_mode(con, "split", QUERIES[name])
    assert rows
    assert rows == _in_mode(con, "graph", QUERIES[name])


@pytest.mark.parametrize("name", QUERIES)
def test_split_is_another_name_of_duckdb(con: Connection, name: str) -> None:
    con.mode = "split"
    plan = con.compile(QUERIES[name]).explain()
    con.mode = "duckdb"
    assert con.compile(QUERIES[name]).explain() == plan.replace("'split'", "'duckdb'")


@pytest.mark.parametrize(
    ("name", "stages"), [("value", 1), ("filter and sum", 1), ("two in turn", 2), ("guarded", 1)]
)
def test_each_operator_is_a_stage_and_the_result_is_duckdbs(
    con: Connection, name: str, stages: int
) -> None:
    con.mode = "split"
    query = con.compile(QUERIES[name])
    lines = query.explain().splitlines()
    assert sum(line.startswith("STAGE") for line in lines) == stages
    assert sum(line.startswith("AI_") for line in lines) == stages
    assert all("(mode => 'split')" in line for line in lines if line.startswith("STAGE"))
    report: Any = query.run().report
    assert [len(stage.operators) for stage in report.stages] == [1] * stages


def _in_mode(con: Connection, mode: Mode, sql: str) -> list[tuple[Any, ...]]:
    con.mode = mode
    return con.compile(sql).run().fetchall()
