"""How fast is one semantic operator, against the machine's matrix product?

python -m benchmarks.operators --workload W1|W1b|W1b-128|W2|W3 --json FILE [--peers]

With --peers, other systems do them too, but for W3, in turn with our own warm runs; without, a line
also says where the time goes.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import add_warm_cache, cache_for
from benchmarks.metrics import accuracy
from benchmarks.model import load_model
from benchmarks.movie import Gold, store_movie
from benchmarks.peers.race import Race
from benchmarks.peers.systems import SYSTEMS
from benchmarks.peers.task import Rivals, Task, task_of
from benchmarks.phases import time_phases
from benchmarks.roof import Roof, copy_rate
from benchmarks.snippets import load_snippets
from benchmarks.timing import Timing, time_query
from benchmarks.workloads import (
    INSTRUCTIONS,
    LABELS,
    NAMES,
    Workload,
    check_instruction,
    question,
    workloads,
)
from benchmarks.writing import measure_writing
from sqlax.connection import Connection
from sqlax.models.language_model import LanguageModel
from sqlax.models.registry.lookup import resolve

ROWS = 1000
Row = dict[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("operators", __doc__)
    parser.add_argument("--workload", choices=(*NAMES, "W2"), required=True)
    parser.add_argument(
        "--peers", nargs="*", choices=SYSTEMS, metavar="NAME", help="beside these, or all, systems"
    )
    add_warm_cache(parser)
    given = parser.parse_args(arguments)
    if given.peers is not None and given.workload == "W3":
        parser.error("--peers is for W1, W1b, W1b-128 and W2")
    model = load_model(given.model)
    rivals = None if given.peers is None else Rivals(resolve(given.model), tuple(given.peers))
    if given.workload in INSTRUCTIONS:
        check_instruction(given.workload, model)
    with cache_for(given):
        if given.workload == "W2":
            fields = measure_writing(model, rivals, given.data, given.rows, given.repeats)
        else:
            fields = measure(given.workload, model, given.data, given.rows, given.repeats, rivals)
    fields = {"copy_gb_per_second": copy_rate(), **fields}
    write_report(given.json, "operators", arguments, fields)


def measure(
    workload: str,
    model: LanguageModel,
    data: Path,
    rows: int | None,
    repeats: int,
    rivals: Rivals | None = None,
) -> dict[str, Any]:
    """The report's fields: the roof, and a line for each query of the workload and each peer.

    Args:
        workload: one of `NAMES`.
        model: the model.
        data: the folder of data sets.
        rows: use only so many rows.
        repeats: warm runs; a peer runs between any two of them.
        rivals: the peers; None to leave them out.
    """
    roof, lines = Roof(), list[Row]()
    task = None if rivals is None else _task(workload, model, rivals.file, data, rows)
    names = () if rivals is None else rivals.names
    with Race(task, model.tokenizer, names) as race, sqlax.connect(model=model) as connection:
        gold = _store(connection, workload, data, rows)
        for query in workloads(workload):
            ours, *theirs = measure_lines(connection, query, gold, roof, repeats, race)
            if not race.is_run:
                phases = time_phases(connection, query.sql, model, ours["seconds"])
                ours["phases"] = asdict(phases)
            _add_roof_shares(ours, model, roof)
            lines += [ours, *theirs]
    return {
        **roof.fields(),
        "flops_per_token": model.flops_per_token,
        "results": lines,
    }


def _task(workload: str, model: LanguageModel, file: Path, data: Path, rows: int | None) -> Task:
    (query,), texts = workloads(workload), load_snippets(data, rows or ROWS).texts
    return task_of(question(workload), query.sql, texts, file, model.tokenizer)


def _store(connection: Connection, workload: str, data: Path, rows: int | None) -> dict[int, bool]:
    """Make the workload's table; gold answers by key."""
    if workload == "W3":
        store_movie(connection, data, rows)
        return Gold(data, rows).sentiments()
    snippets = load_snippets(data, rows or ROWS)
    snippets.store(connection)
    return dict(enumerate(snippets.positive))


def measure_lines(
    connection: Connection,
    workload: Workload,
    gold: dict[int, bool],
    roof: Roof,
    repeats: int,
    race: Race,
) -> list[Row]:
    """One query's line, without its share of the roof, which needs all samples; then the peers'."""

    def between() -> None:
        roof.sample()
        race.run()

    timing = time_query(connection.compile(workload.sql), repeats, between)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    answers = timing.rows
    if workload.answers is not None:
        answers = connection.compile(workload.answers).run().fetchall()
    truth = [gold[key] for key, _ in answers]
    line = _line(workload, timing, len(answers), peak)
    line["accuracy"] = accuracy([said for _, said in answers], truth)
    return [line, *race.lines(line, _labels(dict(answers)), _labels(gold))]


def _labels(positive: Mapping[int, bool | None]) -> list[str]:
    """The label of each row, by key, as peers name it; empty where there is no answer."""
    names = {True: LABELS[0], False: LABELS[1], None: ""}
    return [names[positive[key]] for key in sorted(positive)]


def _line(workload: Workload, timing: Timing, rows: int, peak: int) -> Row:
    return {
        "workload": workload.name,
        "system": "sqlax",
        "rows": rows,
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "rows_per_second": rows / timing.seconds,
        "tokens_per_second": timing.report.tokens / timing.seconds,
        "roof_share": None,
        "accuracy": None,
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
    if "phases" in line:
        line["roof_share_of_program"] = gflops / line["phases"]["program"] / roof.gflops


if __name__ == "__main__":
    main(sys.argv[1:])
