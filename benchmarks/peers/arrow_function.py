"""DuckDB with a scalar function in Python that is called with Arrow columns."""

from __future__ import annotations

from collections.abc import Callable

import duckdb
import pyarrow as pa
from duckdb.func import ARROW

from benchmarks.peers.worker import Run, Task

QUERY = """\
SELECT id, classify($before || text || $behind) AS label
FROM snippets
WHERE id < $rows
ORDER BY id"""


def run_over(task: Task, classify: Callable[[list[str]], list[int]]) -> Run:
    """A run is one query over the task's first rows: SQL in, rows out.

    Args:
        task: gives the rows and the question around each.
        classify: the places of the labels of a column of prompts.
    """
    labels = task["labels"]
    connection = duckdb.connect()
    connection.register(
        "given", pa.table({"id": [*range(len(task["texts"]))], "text": task["texts"]})
    )
    connection.execute("CREATE TABLE snippets AS FROM given")

    def function(prompts: pa.ChunkedArray) -> pa.Array:
        return pa.array([labels[place] for place in classify(prompts.to_pylist())])

    connection.create_function("classify", function, ["VARCHAR"], "VARCHAR", type=ARROW)
    around = {"before": task["before"], "behind": task["behind"]}

    def run(rows: int) -> list[int]:
        found = connection.execute(QUERY, {**around, "rows": rows}).fetchall()
        return [labels.index(label) for _, label in found]

    return run
