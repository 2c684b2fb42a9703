"""How long until the first answers, from a new process with warm caches? 100 rows of W1.

python -m benchmarks.first_answer --json FILE
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.arguments import argument_parser, write_report
from benchmarks.metrics import accuracy
from benchmarks.model import load_model
from benchmarks.new_process import ask
from benchmarks.peers.peer import PeerMissingError, start_peer
from benchmarks.peers.systems import systems_for
from benchmarks.peers.task import Task, task_of
from benchmarks.snippets import load_snippets
from benchmarks.workloads import question, workloads
from sqlax.models.registry.lookup import resolve

WORKLOAD = "first answer"
ROWS = 100
LEFT_OUT = ("sqlax split", "DuckDB function over llama.cpp", "DuckDB function over transformers")
"""Systems that start as another one does."""

Line = dict[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command; the first of several processes fills the caches."""
    parser = argument_parser("first_answer", __doc__)
    given = parser.parse_args(arguments)
    model, (query,) = load_model(given.model), workloads("W1")
    snippets, asked = load_snippets(given.data, given.rows or ROWS), question("W1")
    gold = [asked.labels[not positive] for positive in snippets.positive]
    task = task_of(asked, query.sql, snippets.texts, resolve(given.model), model.tokenizer)
    lines = [_our_line(given.model, given.repeats, task, gold)]
    peers = (name for name in systems_for(task.kind) if name not in LEFT_OUT)
    lines += [_peer_line(name, task, gold) for name in peers]
    write_report(given.json, "first_answer", arguments, {"results": lines})


def _our_line(model: str, repeats: int, task: Task, gold: Sequence[str]) -> Line:
    runs = [ask(model, task.sql, task.texts) for _ in range(repeats)]
    yes, no = task.question.labels
    names = {True: yes, False: no, None: ""}
    said = [names[positive] for positive in runs[-1].positive]
    counted = runs[1:] or runs
    line = _line("sqlax", task, gold, said, [run.seconds for run in counted])
    line["import_seconds"] = statistics.median(run.import_seconds for run in counted)
    line["compile_seconds"] = statistics.median(run.compile_seconds for run in counted)
    return {**line, "peak_rss_bytes": max(run.peak_rss_bytes for run in runs)}


def _peer_line(name: str, task: Task, gold: Sequence[str]) -> Line:
    begin = time.perf_counter()
    try:
        peer = start_peer(name, task)
        peer.run()
    except PeerMissingError as error:
        return {"workload": WORKLOAD, "system": name, "missing": str(error)}
    seconds = time.perf_counter() - begin
    peer.close()
    said = [task.question.labels[place] for place in peer.answers]
    line = _line(name, task, gold, said, [seconds])
    return {**line, "start_seconds": peer.start_seconds, "peak_rss_bytes": peer.peak_rss_bytes}


def _line(
    name: str, task: Task, gold: Sequence[str], said: Sequence[str], runs: Sequence[float]
) -> Line:
    """All of the prompts' tokens count, whether a system reads a common prefix once or not."""
    seconds = statistics.median(runs)
    return {
        "workload": WORKLOAD,
        "system": name,
        "rows": len(task.texts),
        "seconds": seconds,
        "rows_per_second": len(task.texts) / seconds,
        "tokens_per_second": sum(map(len, task.prompts)) / seconds,
        "accuracy": accuracy(said, gold),
        "runs": runs,
    }


if __name__ == "__main__":
    main(sys.argv[1:])
