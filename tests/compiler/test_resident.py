"""Rows that stay on the device between the runs of a compiled query."""

from __future__ import annotations

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")


@pytest.fixture
def con() -> Connection:
    con = sqlax.connect(model=FakeModel({"good": 1.0}, default=0.0), mode="graph")
    con.execute("CREATE TABLE t AS SELECT i, 'good ' || i AS x FROM range(10) r(i)")
    return con


def test_later_runs_read_no_table(con: Connection) -> None:
    query = con.compile("SELECT SUM(i) FROM t WHERE i > $least", {"least": 2})
    resident = query.resident()
    assert resident.run().fetchall() == [(42,)]
    con.execute("DELETE FROM t")
    again = resident.run()
    assert again.fetchall() == [(42,)]
    assert again.report.traces == 0


def test_another_parameter_reads_the_tables_again(con: Connection) -> None:
    resident = con.compile("SELECT SUM(i) FROM t WHERE i > $least", {"least": 2}).resident()
    assert resident.run().fetchall() == [(42,)]
    con.execute("DELETE FROM t WHERE i = 9")
    assert resident.run(least=7).fetchall() == [(8,)]
    assert resident.run().fetchall() == [(42,)]


def test_a_model_is_asked_in_each_run(con: Connection) -> None:
    resident = con.compile("SELECT COUNT(*) FROM t WHERE AI_IF(x)").resident()
    assert [resident.run().report.calls for _ in range(2)] == [10, 10]
    assert resident.run().fetchall() == [(10,)]
