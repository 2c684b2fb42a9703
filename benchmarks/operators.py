"""How fast is one semantic operator, against the machine's matrix product? W1, W1b, W2 and W3.

python -m benchmarks.operators --workload W1|W1b|W2|W3 --json FILE [--peers]
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import cold_cache
from benchmarks.metrics import accuracy
from benchmarks.model import load_model
from benchmarks.movie import Gold, store_movie
from benchmarks.phases import time_phases
from benchmarks.roof import Roof
from benchmarks.snippets import load_snippets
from benchmarks.timing import Timing, time_query
from benchmarks.workloads import NAMES, Workload, check_instruction, workloads
from benchmarks.writing import measure_writing
from sqlax.connection import Connection
from sqlax.models.language_model import LanguageModel
from sqlax.models.registry.lookup import resolve

Row = dict[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("operators", __doc__)
    parser.add_argument("--workload", choices=(*NAMES, "W2"), required=True)
    parser.add_argument("--peers", action="store_true", help="W2 beside other systems")
    given = parser.parse_args(arguments)
    model = load_model(given.model)
    file = resolve(given.model) if given.peers else None
    if given.workload == "W1b":
        check_instruction(model)
    with cold_cache():
        if given.workload == "W2":
            fields = measure_writing(model, file, given.data, given.rows, given.repeats)
        else:
            fields = measure(given.workload, model, given.data, given.rows, given.repeats)
    write_report(given.json, "operators", arguments, fields)


def measure(
    workload: str, model: LanguageModel, data: Path, rows: int | None, repeats: int
) -> dict[str, Any]:
    """The report's fields: the roof, and a line for each query of the workload."""
    roof = Roof()
    queries = workloads(workload)
    with sqlax.connect(model=model) as connection:
        gold = _store(connection, workload, data, rows)
        lines = [measure_line(connection, query, gold, roof, repeats) for query in queries]
        for line, query in zip(lines, queries, strict=True):
            line["phases"] = asdict(time_phases(connection, query.sql, model))
            _add_roof_shares(line, model, roof)
    return {
        "roof_gflops": roof.gflops,
        "roof_best_gflops": roof.best_gflops,
        "roof_samples": roof.samples,
        "flops_per_token": model.flops_per_token,
        "results": lines,
    }


def _store(connection: Connection, workload: str, data: Path, rows: int | None) -> dict[int, bool]:
    """Make the workload's table; gold answers by key."""
    if workload == "W3":
        store_movie(connection, data, rows)
        return Gold(data, rows).sentiments()
    snippets = load_snippets(data, rows or 1000)
    snippets.store(connection)
    return dict(enumerate(snippets.positive))


def measure_line(
    connection: Connection, workload: Workload, gold: dict[int, bool], roof: Roof, repeats: int
) -> Row:
    """One query's line, without its share of the roof: that needs all samples."""
    timing = time_query(connection.compile(workload.sql), repeats, roof.sample)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    answers = timing.rows
    if workload.answers is not None:
        answers = connection.compile(workload.answers).run().fetchall()
    rows = len(answers)
    return {
        "workload": workload.name,
        "system": "sqlax",
        "rows": rows,
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "rows_per_second": rows / timing.seconds,
        "tokens_per_second": timing.report.tokens / timing.seconds,
        "roof_share": None,
        "accuracy": accuracy([said for _, said in answers], [gold[key] for key, _ in answers]),
        "peak_rss_bytes": peak,
        **_details(timing),
    }


_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def _details(timing: Timing) -> Row:
    return {
        "runs": timing.runs,
        "first_seconds": timing.first_seconds,
        "calls": timing.report.calls,
        "tokens": timing.report.tokens,
        "tokens_reused": timing.report.reused,
        "traces": timing.traces,
        "warm_traces": timing.warm_traces,
    }


def _add_roof_shares(line: Row, model: LanguageModel, roof: Roof) -> None:
    """Useful tokens only: the prefix counts once, padding not at all."""
    gflops = line["tokens"] * model.flops_per_token / 1e9
    line["roof_share"] = gflops / line["seconds"] / roof.gflops
    line["roof_share_of_best"] = gflops / line["seconds"] / roof.best_gflops
    line["roof_share_of_program"] = gflops / line["phases"]["program"] / roof.gflops


if __name__ == "__main__":
    main(sys.argv[1:])
