"""The paper's queries over reviews and films: does time follow the rows that pass the filter?

python -m benchmarks.paper --queries A1-A3,A5 [--split] --json FILE

A1, A2 and A3 are swept over a threshold of the film's score, a parameter of one compiled query.
With --split, the same query in mode `split` (operator by operator through the host) runs in turn.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import add_warm_cache, cache_for
from benchmarks.metrics import accuracy
from benchmarks.model import load_model
from benchmarks.movie import store_movie
from benchmarks.timing import Timing, time_query
from sqlax.compiled import CompiledQuery
from sqlax.connection import Connection

THRESHOLDS = (10, 30, 50, 70, 101)
"""Of the audience's score, in percent; 101 lets all rows pass."""
ROWS = 500
"""Reviews, the first of the file; all 2000 take four times as long and say the same."""
_SUMMARY = "AI_GENERATE(('One sentence summary of review:', reviewText), max_tokens => 32)"
_POSITIVE = "AI_IF((reviewText, 'Is this review positive?'))"

Line = dict[str, Any]


@dataclass(frozen=True)
class Query:
    """One of the paper's queries.

    Attributes:
        select: what it selects.
        where: its condition; `$t` is the threshold.
        passing: the part of the condition that needs no model; None where all rows are asked.
        thresholds: values of `$t`; None where there is no parameter.
    """

    select: str
    where: str
    passing: str | None
    thresholds: tuple[int | None, ...]


QUERIES = {
    "A1": Query("SUM(v)", f"v < $t AND {_POSITIVE}", "v < $t", THRESHOLDS),
    "A2": Query("SUM(v)", f"v > $t AND {_POSITIVE}", "v > $t", (70, 50, 30, 0)),
    "A3": Query(_SUMMARY, "v < $t", "v < $t", THRESHOLDS),
    "A5": Query("COUNT(*)", f"{_SUMMARY} LIKE '%masterpiece%'", None, (None,)),
}
"""A1 and A2 are one query in the paper, with and without `v > 70`; both are swept here."""


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("paper", __doc__)
    parser.add_argument("--queries", type=read_names, default=tuple(QUERIES), metavar="A1-A3,A5")
    parser.add_argument("--split", action="store_true", help="beside operator by operator")
    parser.add_argument("--thresholds", type=int, metavar="N", help="only those that let most pass")
    add_warm_cache(parser)
    given = parser.parse_args(arguments)
    model = load_model(given.model)
    with cache_for(given), sqlax.connect(model=model) as connection:
        store(connection, given)
        lines = [
            line
            for name in given.queries
            for line in measure(connection, name, given.repeats, given.split, given.thresholds)
        ]
    write_report(given.json, "paper", arguments, {"results": lines})


def read_names(text: str) -> tuple[str, ...]:
    """The queries that `A1-A3,A5` names.

    Raises:
        argparse.ArgumentTypeError: there is no such query, or the text is no such list.
    """
    names: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ends = [name.removeprefix("A") for name in (first, last or first)]
        if not all(end.isdecimal() for end in ends):
            raise argparse.ArgumentTypeError(f"{text!r} is no list such as A1-A3,A5")
        names += [f"A{number}" for number in range(int(ends[0]), int(ends[1]) + 1)]
    for name in names:
        if name not in QUERIES:
            raise argparse.ArgumentTypeError(f"there is no query {name}: {', '.join(QUERIES)}")
    return tuple(names)


def store(connection: Connection, given: argparse.Namespace) -> None:
    """Make the table `films`: a score `v` for each review, joined once as the paper's input is."""
    store_movie(connection, given.data, given.rows or ROWS)
    connection.execute(
        "CREATE TABLE films AS SELECT r.reviewText, m.v FROM Reviews r JOIN "
        "(SELECT id, any_value(audienceScore) AS v FROM Movies GROUP BY id) m ON r.id = m.id"
    )


def measure(
    connection: Connection,
    name: str,
    repeats: int,
    is_split: bool = False,
    most: int | None = None,
) -> list[Line]:
    """A line for each threshold of a query, with its time against that of the most rows.

    Args:
        connection: has the table `films`.
        name: one of `QUERIES`.
        repeats: warm runs.
        is_split: also a line for mode `split`, whose runs stand between ours.
        most: of the thresholds, only so many; all where it is None.
    """
    query, lines, baselines = QUERIES[name], [], []
    compiled = _compiled(connection, query)
    other = _compiled(_split(connection), query) if is_split else None
    for threshold in sorted(query.thresholds, key=lambda t: -_passing(connection, query, t))[:most]:
        parameters: dict[str, Any] = {} if threshold is None else {"t": threshold}
        runs = Runs()
        between = partial(_time, other, parameters, runs)
        timing = time_query(compiled, repeats, between, **parameters)
        lines.append(_line(name, threshold, _passing(connection, query, threshold), timing))
        baselines += [_baseline(lines[-1], timing.rows, runs)] if is_split else []
    for line in lines:
        line["relative_seconds"] = line["seconds"] / lines[0]["seconds"]
        line["relative_passing"] = line["passing"] / max(1, lines[0]["passing"])
        line["relative_tokens"] = line["tokens"] / max(1, lines[0]["tokens"])
    return lines + baselines


def _compiled(connection: Connection, query: Query) -> CompiledQuery:
    sql = f"SELECT {query.select} AS answer FROM films WHERE {query.where}"
    return connection.compile(sql, *([{"t": 100}] if None not in query.thresholds else []))


def _split(connection: Connection) -> Connection:
    """The same tables and model, operator by operator."""
    other = connection.cursor()
    other.mode = "split"
    return other


@dataclass
class Runs:
    """Seconds of each run of mode `split`, and the rows of the last."""

    seconds: list[float] = field(default_factory=list)
    rows: list[tuple[Any, ...]] = field(default_factory=list)


def _time(query: CompiledQuery | None, parameters: dict[str, Any], runs: Runs) -> None:
    """One more run of a query."""
    if query is not None:
        begin = time.perf_counter()
        runs.rows = query.run(**parameters).fetchall()
        runs.seconds.append(time.perf_counter() - begin)


def _baseline(ours: Line, answers: Sequence[tuple[Any, ...]], runs: Runs) -> Line:
    """The line of mode `split`; its first run compiled."""
    seconds = statistics.median(runs.seconds[1:])
    same = {key: ours[key] for key in ("workload", "query", "threshold", "rows", "passing")}
    theirs, said = (sorted(rows, key=str) for rows in (runs.rows, answers))
    return {
        **same,
        **_rates(ours["passing"], ours["tokens"], seconds),
        "system": "sqlax split",
        "seconds": seconds,
        "relative_throughput": seconds / ours["seconds"],
        "equal_answers": accuracy(theirs, said) if answers else None,
        "runs": runs.seconds,
    }


def _rates(passing: int, tokens: int, seconds: float) -> Line:
    """Of the rows that a model is asked about, and of the tokens that it reads and writes."""
    return {"rows_per_second": passing / seconds, "tokens_per_second": tokens / seconds}


def _passing(connection: Connection, query: Query, threshold: int | None) -> int:
    where = "" if query.passing is None else f" WHERE {query.passing.replace('$t', str(threshold))}"
    ((count,),) = connection.duckdb.execute(f"SELECT COUNT(*) FROM films{where}").fetchall()
    return int(count)


def _line(name: str, threshold: int | None, passing: int, timing: Timing) -> Line:
    operators = timing.report.all_operators
    written = [operator.written for operator in operators if operator.written is not None]
    return {
        "workload": name if threshold is None else f"{name} t={threshold}",
        "system": "sqlax",
        "query": name,
        "threshold": threshold,
        "rows": sum(timing.report.scanned),
        "passing": passing,
        **_rates(passing, timing.report.tokens, timing.seconds),
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "calls": timing.report.calls,
        "tokens": timing.report.tokens,
        "written_tokens": sum(one.tokens for one in written),
        "stages": len(timing.report.stages),
        "answer": timing.rows[0][0] if len(timing.rows) == 1 else None,
        "warm_traces": timing.warm_traces,
        "runs": timing.runs,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
