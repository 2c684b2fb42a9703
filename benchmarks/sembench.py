"""SemBench's Movie queries: seconds and quality of each.

python -m benchmarks.sembench --data DIR --queries 1-4,8-10 --json FILE [--dialect bigquery]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import cold_cache
from benchmarks.metrics import defined
from benchmarks.model import load_model
from benchmarks.movie import Gold, store_movie
from benchmarks.sembench_scoring import score
from benchmarks.sembench_texts import numbers, text_of
from benchmarks.timing import Timing, time_query
from sqlax.connection import Connection


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("sembench", __doc__)
    parser.add_argument("--queries", type=read_queries, default=numbers(), help="such as 1-4,8-10")
    parser.add_argument("--dialect", choices=("duckdb", "bigquery"), default="duckdb")
    given = parser.parse_args(arguments)
    gold = Gold(given.data, given.rows)
    with (
        sqlax.connect(model=load_model(given.model), dialect=given.dialect) as connection,
        cold_cache(),
    ):
        store_movie(connection, given.data, given.rows)
        results = [
            line
            for query in given.queries
            for line in measure(query, connection, gold, given.repeats)
        ]
    write_report(given.json, "sembench", arguments, {"results": results})


def measure(query: int, connection: Connection, gold: Gold, repeats: int) -> list[dict[str, Any]]:
    """A line for each metric of a query."""
    timing = time_query(connection.compile(text_of(query, connection.dialect)), repeats)
    qualities = score(query, timing.rows, gold)
    return [_line(query, timing, *quality) for quality in qualities.items()]


def read_queries(text: str) -> tuple[int, ...]:
    """Query numbers from `1-4,8-10`.

    Raises:
        ArgumentTypeError: not such a list, or a query that there is no text of.
    """
    try:
        wanted = [number for part in text.split(",") for number in _range(part)]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list such as 1-4,8-10") from None
    unknown = [number for number in wanted if number not in numbers()]
    if unknown:
        known = ", ".join(map(str, numbers()))
        raise argparse.ArgumentTypeError(f"there is no query {unknown[0]}, only {known}")
    return tuple(wanted)


def _range(part: str) -> range:
    first, *last = [int(number) for number in part.split("-")]
    return range(first, max(last, default=first) + 1)


def _line(query: int, timing: Timing, metric: str, quality: float) -> dict[str, Any]:
    report = timing.report
    return {
        "query": query,
        "system": "sqlax",
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "metric": metric,
        "quality": defined(quality),
        "rows": sum(report.scanned),
        "calls": report.calls,
        "tokens_prefilled": report.tokens,
        "tokens_reused": report.reused,
        "result_rows": len(timing.rows),
        "warm_traces": timing.warm_traces,
        "runs": timing.runs,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
