"""Scans are held narrow, and read narrow by what reads them piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

import sqlax
from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.models import Models
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

ROWS = 1 << 18
MADE = """CREATE OR REPLACE TABLE t AS SELECT
    DATE '1992-01-01' + (i % 2500)::INTEGER AS d,
    (i % 11 * 0.01)::DECIMAL(9,2) AS rate,
    (100000 + i * 31)::DECIMAL(12,2) AS price,
    i * 1000000007 AS wide,
    (i % 7)::DOUBLE AS x,
    'text ' || i % 3 AS s
FROM range({rows}) r(i)"""
COLUMNS = ("d", "rate", "price", "wide", "x", "s")
SUM = "SELECT SUM(price * rate), COUNT(*) FROM t WHERE d >= DATE '1994-01-01' AND rate < 0.07"


@pytest.fixture
def con() -> Connection:
    con = sqlax.connect(model=FakeModel({}), mode="graph")
    con.execute(MADE.format(rows=ROWS - 5))
    return con


def execution(con: Connection, sql: str) -> Execution:
    return Execution(con.compile(sql).plan(), Models("fake", {}))


def test_a_column_takes_the_bytes_that_its_values_need(con: Connection) -> None:
    run = execution(con, "SELECT d, rate, price, wide, x FROM t WHERE s > 'text 1'")
    (scan,) = run.assembly(run.load()).inputs().scans
    dtypes = [scan.columns[f"t.{name}"].data.dtype for name in COLUMNS]
    assert dtypes == [np.uint16, np.uint8, np.uint32, np.int64, np.float64, np.uint8]
    assert all(column.valid is None for column in scan.columns.values())


def test_no_column_is_widened_to_be_aggregated(con: Connection) -> None:
    text = execution(con, SUM).stablehlo()
    assert f"tensor<{ROWS}xui16>" in text
    assert f"tensor<{ROWS}xi64>" not in text


def test_new_rows_of_the_same_bounds_run_the_same_program(con: Connection) -> None:
    query = con.compile(SUM)
    first = query.run()
    con.execute("UPDATE t SET price = price + 77, d = d + 3, rate = rate - 0.05")
    again = query.run()
    assert again.report.traces == 0
    assert first.report.traces == 1
    assert again.fetchall() == con.execute(SUM).fetchall()


CHANGES = [
    "UPDATE t SET price = NULL, rate = NULL WHERE d < DATE '1995-01-01'",
    "UPDATE t SET price = -price, rate = -10 * rate, d = d - 4000",
    "DELETE FROM t WHERE price > 101000",
    "DELETE FROM t",
]


@pytest.mark.parametrize("change", CHANGES)
def test_rows_of_other_bounds_are_right(con: Connection, change: str) -> None:
    query = con.compile(SUM)
    query.run()
    con.execute(change)
    assert query.run().fetchall() == con.execute(SUM).fetchall()


def test_few_rows_with_and_without_nulls_share_a_program(con: Connection) -> None:
    con.execute(MADE.format(rows=1000))
    query = con.compile(SUM)
    query.run()
    con.execute("UPDATE t SET price = NULL WHERE d < DATE '1992-02-01'")
    again = query.run()
    assert again.report.traces == 0
    assert again.fetchall() == con.execute(SUM).fetchall()
