"""Texts that a model writes, everywhere in a query: as DuckDB with macros that answer alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import pytest

import sqlax
from sqlax.compiler.placement import Mode
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.compiler.test_differential import FOLDER, Case, canonical, cases
from tests.fuzz.eager import execution

pytestmark = [pytest.mark.usefixtures("compile_quickly"), pytest.mark.slow]

MODEL = FakeModel(
    {
        "odd": "maybe",
        "good 1": "fine",
        "good": "yes",
        "bad": "poor",
        "fine": "yes",
        "b": "no",
        "o": "b",
    },
    default="",
)


@pytest.fixture(scope="module")
def oracle() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the tables, and macros that answer as the model does."""
    connection = duckdb.connect()
    for name in ("tables", "generate_macros"):
        connection.execute((FOLDER / f"{name}.sql").read_text(encoding="utf-8"))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    """The same tables, and the model."""
    connection = sqlax.connect(model=MODEL)
    connection.duckdb.execute((FOLDER / "tables.sql").read_text(encoding="utf-8"))
    yield connection
    connection.close()


@pytest.mark.parametrize("mode", ["graph", "hybrid", "duckdb"])
@pytest.mark.parametrize("case", [*cases(("generate",))], ids=lambda case: case.name)
def test_equals_duckdb(
    oracle: duckdb.DuckDBPyConnection, con: Connection, case: Case, mode: Mode
) -> None:
    """Names, types and rows are DuckDB's own, in every mode."""
    expected = oracle.sql(case.sql)
    con.mode = mode
    query = con.compile(case.sql)
    result = Result(execution(query.plan(), MODEL, compiled=True).run(), con.duckdb)
    assert result.types == [str(kind) for kind in expected.types]
    assert result.columns == expected.columns
    ordered = re.search(r"ORDER BY (?!.*\))[^()]*$", case.sql) is not None
    assert canonical(result.fetchall(), ordered) == canonical(expected.fetchall(), ordered)
