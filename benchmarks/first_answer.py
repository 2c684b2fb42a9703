"""How long until the first answers, from a new process with warm caches? 100 rows of W1.

python -m benchmarks.first_answer --json FILE
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.arguments import argument_parser, write_report
from benchmarks.machine import ROOT
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


def main(arguments: Sequence[str]) -> None:
    """Run the command; or, as the new process, answer what standard input asks."""
    if list(arguments) == ["answer"]:
        answer()
        return
    parser = argument_parser("first_answer", __doc__)
    given = parser.parse_args(arguments)
    model, (query,) = load_model(given.model), workloads("W1")
    texts = load_snippets(given.data, given.rows or ROWS).texts
    task = task_of(question("W1"), query.sql, texts, resolve(given.model), model.tokenizer)
    lines = [_line("sqlax", task, [_our_seconds(given.model, task) for _ in range(given.repeats)])]
    lines += [_peer_line(name, task) for name in systems_for(task.kind) if name not in LEFT_OUT]
    write_report(given.json, "first_answer", arguments, {"results": lines})


def answer() -> None:
    """Connect, ask and print how many rows came."""
    import sqlax

    task = json.load(sys.stdin)
    connection = sqlax.connect(model=task["model"])
    connection.execute("CREATE TABLE snippets (id INTEGER, text VARCHAR)")
    connection.duckdb.executemany("INSERT INTO snippets VALUES (?, ?)", task["rows"])
    print(len(connection.sql(task["sql"]).fetchall()), flush=True)


def _our_seconds(model: str, task: Task) -> float:
    """From the start of a process to its answers; the first of several fills the caches."""
    asked = {"model": model, "sql": task.sql, "rows": list(enumerate(task.texts))}
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as given:
        json.dump(asked, given)
        given.seek(0)
        subprocess.run(
            [sys.executable, "-m", "benchmarks.first_answer", "answer"],
            stdin=given,
            stdout=subprocess.DEVNULL,
            check=True,
            cwd=ROOT,
        )
    return time.perf_counter() - begin


def _peer_line(name: str, task: Task) -> Line:
    begin = time.perf_counter()
    try:
        peer = start_peer(name, task)
        peer.run()
    except PeerMissingError as error:
        return {"workload": WORKLOAD, "system": name, "missing": str(error)}
    seconds = time.perf_counter() - begin
    peer.close()
    return _line(name, task, [seconds])


def _line(name: str, task: Task, runs: Sequence[float]) -> Line:
    seconds = statistics.median(runs[1:] or runs)
    return {
        "workload": WORKLOAD,
        "system": name,
        "rows": len(task.texts),
        "seconds": seconds,
        "rows_per_second": len(task.texts) / seconds,
        "runs": list(runs),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
