"""Rows that wait on disk, and streamed queries through a connection."""

from __future__ import annotations

import errno
import io
import tempfile
from typing import Any

import pyarrow as pa
import pytest

import sqlax
from sqlax.compiler.streaming.spool import Spool
from sqlax.errors import CapacityError, DataError
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

BUDGET = 14_000


def test_temporary_tables_and_open_transactions_are_seen() -> None:
    with sqlax.connect(model=FakeModel({}), mode="graph", memory_budget=BUDGET) as connection:
        connection.execute("CREATE TEMP TABLE t AS SELECT i, i % 3 AS g FROM range(1000) AS r(i)")
        connection.duckdb.execute("BEGIN; DELETE FROM t WHERE i >= 900")
        assert connection.cursor()._memory_budget == BUDGET
        rows = connection.sql("SELECT g, COUNT(*), SUM(i) FROM t GROUP BY g ORDER BY g").fetchall()
        assert rows == [(0, 300, 134550), (1, 300, 134850), (2, 300, 135150)]


def test_an_error_in_a_late_row_is_duckdbs() -> None:
    with sqlax.connect(model=FakeModel({}), mode="graph", memory_budget=BUDGET) as connection:
        value = "CASE WHEN i = 150000 THEN ('x' || i)::INTEGER ELSE i END"
        connection.execute(f"CREATE VIEW w AS SELECT {value} AS v FROM range(200000) AS r(i)")
        with pytest.raises(DataError, match="x150000"):
            connection.sql("SELECT SUM(v) FROM w").fetchall()
        assert connection.sql("SELECT COUNT(*) FROM range(9)").fetchall() == [(9,)]


def test_a_full_disk_is_an_error_of_capacity(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: Any) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    table = pa.table({"a": [1, 2]})
    with Spool() as spool, pytest.raises(CapacityError, match="No space left"):
        spool.write(table.schema, iter(table.to_batches()))


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 100])
def test_a_spool_gives_back_what_it_was_given(rows: int) -> None:
    table = pa.table({"a": [1, 2, None, 4, 5], "b": pa.array([*"xyxyz"]).dictionary_encode()})
    with Spool() as spool:
        spool.write(table.schema, iter(table.to_batches(max_chunksize=2)))
        tables = [*spool.tables(rows)]
    assert pa.concat_tables(tables).to_pylist() == table.to_pylist()
    assert {len(part) for part in tables[:-1]} <= {rows}


def test_a_spool_without_rows_gives_one_empty_table() -> None:
    with Spool() as spool:
        spool.write(pa.schema({"a": pa.int32()}), iter(()))
        assert [len(table) for table in spool.tables(4)] == [0]
