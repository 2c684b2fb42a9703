"""Do texts of very different lengths cost throughput, against as many tokens in equal ones?

python -m benchmarks.mixed --json FILE

A text ends where the model ends it: answers in the model's chat form to tasks that ask for
anything from one word to a long essay, between 4 and 256 tokens, drawn for each row.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.cold_cache import cold_cache
from benchmarks.model import load_model
from benchmarks.snippets import SEED, load_snippets
from benchmarks.timing import Timing, time_query
from benchmarks.written import Line, written_line
from sqlax.connection import Connection

ROWS = 600
"""Three times as many as there are lanes."""

LEAST, MOST = 4, 256
TASKS = (
    "Name the mood of this review in one word: ",
    "Summarize this review in one short sentence: ",
    "Explain in two sentences what this reviewer thinks: ",
    "Write a paragraph about the film of this review: ",
    "Write a long essay about this review: ",
)


def main(arguments: Sequence[str]) -> None:
    """Run the command; a run takes minutes, so one warm run of each is the default."""
    parser = argument_parser("mixed", __doc__)
    parser.set_defaults(repeats=1)
    given = parser.parse_args(arguments)
    model = load_model(given.model)  # before the cache is another, in which there are no models
    with cold_cache(), sqlax.connect(model=model) as connection:
        lines = mixed_lines(connection, given.data, given.rows or ROWS, given.repeats)
    write_report(given.json, "mixed", arguments, {"results": lines})


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


if __name__ == "__main__":
    main(sys.argv[1:])
