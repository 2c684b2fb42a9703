"""How long until the first answers, from a new process with warm caches? 100 rows of W1.

python -m benchmarks.first_answer --json FILE
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.arguments import argument_parser, write_report
from benchmarks.machine import ROOT
from benchmarks.metrics import accuracy
from benchmarks.model import load_model
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

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def main(arguments: Sequence[str]) -> None:
    """Run the command; or, as the new process, answer what standard input asks."""
    if list(arguments) == ["answer"]:
        answer()
        return
    parser = argument_parser("first_answer", __doc__)
    given = parser.parse_args(arguments)
    model, (query,) = load_model(given.model), workloads("W1")
    snippets, asked = load_snippets(given.data, given.rows or ROWS), question("W1")
    gold = [asked.labels[not positive] for positive in snippets.positive]
    task = task_of(asked, query.sql, snippets.texts, resolve(given.model), model.tokenizer)
    runs = [_our_run(given.model, task) for _ in range(given.repeats)]
    lines = [_line("sqlax", task, gold, runs)]
    peers = (name for name in systems_for(task.kind) if name not in LEFT_OUT)
    lines += [_peer_line(name, task, gold) for name in peers]
    write_report(given.json, "first_answer", arguments, {"results": lines})


def answer() -> None:
    """Connect, ask and print which rows are positive, and the peak of the memory."""
    import sqlax

    task = json.load(sys.stdin)
    connection = sqlax.connect(model=task["model"])
    connection.execute("CREATE TABLE snippets (id INTEGER, text VARCHAR)")
    connection.duckdb.executemany("INSERT INTO snippets VALUES (?, ?)", task["rows"])
    positive = dict(connection.sql(task["sql"]).fetchall())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT
    print(json.dumps([[positive[number] for number in sorted(positive)], peak]), flush=True)


class Answered(NamedTuple):
    """A start and its answers.

    Attributes:
        seconds: from the start of the process to its answers.
        labels: of each row.
        peak_rss_bytes: the process's largest resident size.
    """

    seconds: float
    labels: list[str]
    peak_rss_bytes: int


def _our_run(model: str, task: Task) -> Answered:
    """A new process; the first of several fills the caches."""
    asked = {"model": model, "sql": task.sql, "rows": list(enumerate(task.texts))}
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as given:
        json.dump(asked, given)
        given.seek(0)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.first_answer", "answer"],
            stdin=given,
            stdout=subprocess.PIPE,
            check=True,
            cwd=ROOT,
        )
    seconds = time.perf_counter() - begin
    positive, peak = json.loads(done.stdout)
    return Answered(seconds, [task.question.labels[not one] for one in positive], peak)


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
    return _line(name, task, gold, [Answered(seconds, said, peer.peak_rss_bytes)])


def _line(name: str, task: Task, gold: Sequence[str], runs: Sequence[Answered]) -> Line:
    """All of the prompts' tokens count, whether a system reads a common prefix once or not."""
    seconds = statistics.median(run.seconds for run in runs[1:] or runs)
    return {
        "workload": WORKLOAD,
        "system": name,
        "rows": len(task.texts),
        "seconds": seconds,
        "rows_per_second": len(task.texts) / seconds,
        "tokens_per_second": sum(map(len, task.prompts)) / seconds,
        "accuracy": accuracy(runs[-1].labels, gold),
        "peak_rss_bytes": max(run.peak_rss_bytes for run in runs),
        "runs": [run.seconds for run in runs],
    }


if __name__ == "__main__":
    main(sys.argv[1:])
