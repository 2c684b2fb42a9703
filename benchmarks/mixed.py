"""Do texts of very different lengths cost throughput, against as many tokens in equal ones?

A text ends where the model ends it: answers in the model's chat form to tasks that ask for
anything from one word to a long essay, between 4 and 256 tokens, drawn for each row.
"""

from __future__ import annotations

import random
import resource
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.snippets import SEED, load_snippets
from benchmarks.timing import Timing, time_query
from sqlax.compiler.written_report import WrittenReport
from sqlax.connection import Connection

LEAST, MOST = 4, 256
TASKS = (
    "Name the mood of this review in one word: ",
    "Summarize this review in one short sentence: ",
    "Explain in two sentences what this reviewer thinks: ",
    "Write a paragraph about the film of this review: ",
    "Write a long essay about this review: ",
)
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024

Line = dict[str, Any]


def mixed_lines(connection: Connection, data: Path, rows: int, repeats: int) -> list[Line]:
    """A line for the mixed lengths, and one for their mean length in every row."""
    _store(connection, data, rows)
    mixed = _time(connection, LEAST, MOST, repeats)
    (operator,) = mixed.report.operators
    assert operator.written is not None
    mean = max(1, round(operator.written.tokens / operator.written.texts))
    uniform = _time(connection, mean, mean, repeats)
    lines = [written_line("W2 mixed", mixed), written_line(f"W2 {mean} each", uniform)]
    lines[0]["relative_throughput"] = (
        lines[0]["written_per_second"] / lines[1]["written_per_second"]
    )
    return lines


def _store(connection: Connection, data: Path, rows: int) -> None:
    """The table `tasks`: a snippet and what is to be done with it, of a fixed seed."""
    snippets, draw = load_snippets(data, rows), random.Random(SEED)
    columns = {
        "id": list(range(len(snippets.texts))),
        "task": [draw.choice(TASKS) for _ in snippets.texts],
        "text": list(snippets.texts),
    }
    connection.register("given_tasks", pa.table(columns))
    connection.execute("CREATE OR REPLACE TABLE tasks AS FROM given_tasks")


def _time(connection: Connection, least: int, most: int, repeats: int) -> Timing:
    sql = (
        f"SELECT id, AI_GENERATE((task, text), min_tokens => {least}, max_tokens => {most}) "
        "FROM tasks ORDER BY id"
    )
    return time_query(connection.compile(sql), repeats)


def written_line(workload: str, timing: Timing) -> Line:
    """What one query's runs took, prompts included, and what its operator did."""
    (operator,) = timing.report.operators
    assert operator.written is not None
    return {
        "workload": workload,
        "system": "sqlax",
        "rows": len(timing.rows),
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "rows_per_second": len(timing.rows) / timing.seconds,
        "tokens_per_second": timing.report.tokens / timing.seconds,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT,
        "tokens": timing.report.tokens,
        "runs": timing.runs,
        "warm_traces": timing.warm_traces,
        **_written(operator.written, timing.seconds),
    }


def _written(written: WrittenReport, seconds: float) -> Line:
    return {
        "written_tokens": written.tokens,
        "written_per_second": written.tokens / seconds,
        "occupancy": written.occupancy,
        "steps": written.steps,
        "chunks": written.chunks,
        "pages": written.pages,
        "unused_positions": written.unused,
    }
