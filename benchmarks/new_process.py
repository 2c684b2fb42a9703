"""A new process that connects, asks one query of some texts, and ends.

python -m benchmarks.new_process reads the question as JSON from standard input.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from benchmarks.machine import ROOT

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Answered(NamedTuple):
    """What a process answered.

    Attributes:
        seconds: from the start of the process to its end.
        positive: the answer to each row.
        peak_rss_bytes: the process's largest resident size.
        import_seconds: of those, importing sqlax.
        compile_seconds: of those, tracing the program and loading it from the cache.
    """

    seconds: float
    positive: list[bool | None]
    peak_rss_bytes: int
    import_seconds: float
    compile_seconds: float


def ask(model: str, sql: str, texts: Sequence[str]) -> Answered:
    """A query of `(id, is positive)` over the table `snippets`, in a process of its own.

    Args:
        model: a known name or a path.
        sql: the query.
        texts: the table's rows; a row's place is its `id`.

    Raises:
        subprocess.CalledProcessError: the process failed; it has said why.
    """
    asked = {"model": model, "sql": sql, "rows": list(enumerate(texts))}
    begin = time.perf_counter()
    with tempfile.TemporaryFile("w+") as given:
        json.dump(asked, given)
        given.seek(0)
        command = [sys.executable, "-m", "benchmarks.new_process"]
        done = subprocess.run(command, stdin=given, stdout=subprocess.PIPE, check=True, cwd=ROOT)
    seconds = time.perf_counter() - begin
    return Answered(seconds, **json.loads(done.stdout))


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Answered` but for the seconds, which the other process counts."""
    begin = time.perf_counter()
    import sqlax

    imported = time.perf_counter() - begin
    connection = sqlax.connect(model=asked["model"])
    connection.execute("CREATE TABLE snippets (id INTEGER, text VARCHAR)")
    connection.duckdb.executemany("INSERT INTO snippets VALUES (?, ?)", asked["rows"])
    result = connection.sql(asked["sql"])
    positive = dict(result.fetchall())
    return {
        "positive": [positive[number] for number in sorted(positive)],
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT,
        "import_seconds": imported,
        "compile_seconds": result.report.compile_seconds,
    }


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))), flush=True)
