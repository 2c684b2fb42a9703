"""How long until a new process has answered one row, from warm caches? And importing sqlax alone?

python -m benchmarks.start --json FILE
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Sequence

from benchmarks.arguments import argument_parser, write_report
from benchmarks.metrics import accuracy
from benchmarks.new_process import ask
from benchmarks.snippets import load_snippets
from benchmarks.workloads import workloads


def main(arguments: Sequence[str]) -> None:
    """Run the command; the first process fills the caches and does not count."""
    given = argument_parser("start", __doc__).parse_args(arguments)
    (query,), snippets = workloads("W1"), load_snippets(given.data, given.rows or 1)
    first, *runs = (ask(given.model, query.sql, snippets.texts) for _ in range(given.repeats + 1))
    line = {
        "workload": "start",
        "system": "sqlax",
        "rows": len(snippets.texts),
        "seconds": statistics.median(run.seconds for run in runs),
        "import_seconds": statistics.median(run.import_seconds for run in runs),
        "compile_seconds": statistics.median(run.compile_seconds for run in runs),
        "first_seconds": first.seconds,
        "accuracy": accuracy(runs[-1].positive, snippets.positive),
        "peak_rss_bytes": max(run.peak_rss_bytes for run in runs),
        "runs": [run.seconds for run in runs],
    }
    write_report(given.json, "start", arguments, {"results": [line]})


if __name__ == "__main__":
    main(sys.argv[1:])
