"""sqlax itself, operator by operator through the host: `mode='split'`."""

from __future__ import annotations

import pyarrow as pa

import sqlax
from benchmarks.peers.worker import Run, Task, serve


def start(task: Task) -> Run:
    """Load the model and make the table; a run is one query.

    It is over all rows whatever is asked: the programs it compiles have their shapes.
    """
    connection = sqlax.connect(model=task["model"], mode=task["mode"])
    rows = {"id": [*range(len(task["texts"]))], "text": task["texts"]}
    connection.register("given", pa.table(rows))
    connection.execute("CREATE TABLE snippets AS FROM given")
    query = connection.compile(task["sql"])

    def run(_: int) -> list[object]:
        found = [answer for _, answer in sorted(query.run().fetchall())]
        return found if task["kind"] == "write" else [0 if yes else 1 for yes in found]

    return run


if __name__ == "__main__":
    serve(start)
