"""TPC-H: are all 22 queries right in every mode, and how fast beside DuckDB?

python -m benchmarks.tpch --sf 0.1 --json FILE [--queries 1,6] [--modes graph,hybrid] [--repeats 3]

The data is made in the user's cache folder at the first use. DuckDB has two threads. As DuckDB's
tables are in its memory, so are the graph's columns on the device: `seconds` is of runs over
resident rows, `load_seconds` what DuckDB took to hand the rows over, `first_seconds` the whole
first run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import duckdb

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import cold_cache
from benchmarks.equality import Row, same_rows
from benchmarks.tpch_data import QUERIES, load_tpch, query_texts, tpch_folder
from sqlax.compiled import CompiledQuery
from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.placement import Mode
from sqlax.connection import Connection
from sqlax.errors import SqlaxError
from sqlax.models.fake import FakeModel

THREADS = 2
MODES: tuple[Mode, ...] = ("hybrid", "graph", "duckdb")
"""All but `split`, which differs from `duckdb` in name only."""


@dataclass(frozen=True)
class Oracle:
    """DuckDB's own answer to a query.

    Attributes:
        rows: its rows, in order.
        types: the SQL type of each column.
        seconds: the median of its warm runs.
    """

    rows: list[Row]
    types: list[str]
    seconds: float


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("tpch", __doc__)
    parser.add_argument("--sf", type=float, default=0.1, help="scale factor")
    parser.add_argument("--queries", type=read_queries, default=QUERIES, help="such as 1-4,8-10")
    parser.add_argument("--modes", type=read_modes, default=MODES, help="such as graph,hybrid")
    given = parser.parse_args(arguments)
    folder = tpch_folder(given.sf)
    with duckdb.connect() as database, cold_cache():
        database.execute(f"SET threads = {THREADS}")
        load_tpch(database, folder)
        results = measure(database, query_texts(folder), given)
    fields = {"sf": given.sf, "threads": THREADS, "results": results}
    write_report(given.json, "tpch", arguments, fields)


def measure(
    database: duckdb.DuckDBPyConnection, texts: dict[int, str], given: argparse.Namespace
) -> list[dict[str, Any]]:
    """A line for each query and mode; each is printed as soon as it is known."""
    results = []
    for number in given.queries:
        oracle = ask_duckdb(database, texts[number], given.repeats)
        for mode in given.modes:
            line = time_mode(database, texts[number], mode, given.repeats, oracle)
            results.append({"query": number, "mode": mode, **line})
            print(json.dumps(results[-1]), flush=True)
    return results


def ask_duckdb(database: duckdb.DuckDBPyConnection, sql: str, repeats: int) -> Oracle:
    """DuckDB's rows and the median of its warm runs."""
    relation = database.sql(sql)
    rows, types = relation.fetchall(), [str(kind) for kind in relation.types]
    runs = [_seconds(lambda: database.sql(sql).fetchall()) for _ in range(repeats)]
    return Oracle(rows, types, statistics.median(runs))


def time_mode(
    database: duckdb.DuckDBPyConnection, sql: str, mode: Mode, repeats: int, oracle: Oracle
) -> dict[str, Any]:
    """A query's times in one mode; `error` in place of times where it was refused."""
    model = FakeModel({})
    connection = sqlax.connect(database.cursor(), model=model, mode=mode)
    try:
        return _time(connection, sql, repeats, oracle)
    except SqlaxError as error:
        said = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return {"seconds": None, "duckdb_seconds": oracle.seconds, "equal": False, "error": said}
    finally:
        connection.close()


def _time(connection: Connection, sql: str, repeats: int, oracle: Oracle) -> dict[str, Any]:
    query = connection.compile(sql).resident()
    begin = time.perf_counter()
    result = query.run()
    rows, first = result.fetchall(), time.perf_counter() - begin
    runs = [_seconds(lambda: query.run().fetchall()) for _ in range(repeats)]
    return {
        "seconds": statistics.median(runs),
        "compile_seconds": result.report.compile_seconds,
        "first_seconds": first,
        "load_seconds": load_seconds(query),
        "duckdb_seconds": oracle.seconds,
        "relative_seconds": statistics.median(runs) / oracle.seconds,
        "equal": same_rows(rows, oracle.rows) and result.types == oracle.types,
        "rows": len(rows),
        "runs": runs,
    }


def load_seconds(query: CompiledQuery) -> float:
    """What DuckDB takes to hand the query's scans over, which the first run alone pays."""
    return _seconds(Execution(query.plan(), Models("fake", {})).load)


def read_queries(text: str) -> tuple[int, ...]:
    """Query numbers from `1-4,8-10`.

    Raises:
        ArgumentTypeError: not such a list, or a number above 22.
    """
    try:
        ranges = [[int(end) for end in part.split("-")] for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list such as 1-4,8-10") from None
    wanted = [number for ends in ranges for number in range(ends[0], ends[-1] + 1)]
    for number in wanted:
        if number not in QUERIES:
            raise argparse.ArgumentTypeError(f"there is no query {number}, only 1 to 22")
    return tuple(wanted)


def read_modes(text: str) -> tuple[Mode, ...]:
    """Modes from `graph,hybrid`.

    Raises:
        ArgumentTypeError: one is unknown.
    """
    wanted = text.split(",")
    for mode in wanted:
        if mode not in MODES:
            raise argparse.ArgumentTypeError(f"there is no mode {mode}, only {', '.join(MODES)}")
    return tuple(cast("list[Mode]", wanted))


def _seconds(function: Callable[[], object]) -> float:
    begin = time.perf_counter()
    function()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(sys.argv[1:])
