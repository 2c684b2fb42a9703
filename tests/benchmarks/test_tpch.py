"""TPC-H at scale factor 0.01: every query in every mode is DuckDB's answer, row for row."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from benchmarks.tpch import measure, read_modes, read_queries
from benchmarks.tpch_data import (
    QUERIES,
    TpchUnavailableError,
    load_tpch,
    query_texts,
    tpch_folder,
)
from sqlax.compiler.placement import Mode
from tests.fuzz.compare import difference
from tests.fuzz.engines import MODES, answer
from tests.fuzz.oracle import answer_of

SCALE = 0.01


@pytest.fixture(scope="module")
def folder() -> Path:
    """The data, made at the first use; skips where it cannot be made."""
    try:
        return tpch_folder(SCALE)
    except TpchUnavailableError as error:
        pytest.skip(f"the TPC-H data cannot be made here: {error}")


@pytest.fixture(scope="module")
def database(folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        load_tpch(connection, folder)
        yield connection


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", QUERIES)
def test_equals_duckdb(
    database: duckdb.DuckDBPyConnection, folder: Path, number: int, mode: Mode
) -> None:
    """Evaluated operation by operation; the benchmark compares compiled programs."""
    sql = query_texts(folder)[number]
    expected = answer_of(database.sql(sql))
    assert expected.rows
    assert difference(expected, answer(database, sql, mode), ordered=True) is None


def test_a_line_for_each_query_and_mode(database: duckdb.DuckDBPyConnection, folder: Path) -> None:
    given = argparse.Namespace(queries=(6,), modes=("graph", "hybrid"), repeats=1)
    lines = measure(database, query_texts(folder), given)
    assert [(line["query"], line["mode"], line["equal"]) for line in lines] == [
        (6, "graph", True),
        (6, "hybrid", True),
    ]
    assert all(
        line.keys() >= {"seconds", "compile_seconds", "load_seconds", "duckdb_seconds"}
        for line in lines
    )


def test_lists_of_queries_and_modes() -> None:
    assert read_queries("1-3,22") == (1, 2, 3, 22)
    assert read_modes("graph,hybrid") == ("graph", "hybrid")


@pytest.mark.parametrize("text", ["23", "0-3", "a", ""])
def test_unknown_queries_are_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=r"no query|no list"):
        read_queries(text)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="no mode fast"):
        read_modes("fast")
