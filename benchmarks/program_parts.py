"""Which part of the program takes how much of a workload's time?

python -m benchmarks.program_parts --workload W1|W1b|W2 --json FILE
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import sqlax
from benchmarks.arguments import argument_parser, write_report
from benchmarks.model import load_model
from benchmarks.parts import parts_of_run
from benchmarks.snippets import load_snippets
from benchmarks.workloads import workloads
from benchmarks.writing import QUERY
from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.query import plan_query
from sqlax.connection import Connection
from sqlax.models.language_model import LanguageModel

ROWS = 200
"""The record of every operation is long: a part's share does not depend on the rows."""


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argument_parser("program_parts", __doc__)
    parser.add_argument("--workload", choices=("W1", "W1b", "W2"), required=True)
    given = parser.parse_args(arguments)
    model = load_model(given.model)
    with sqlax.connect(model=model) as connection:
        load_snippets(given.data, given.rows or ROWS).store(connection)
        parts = measure(connection, _sql(given.workload), model)
    whole = sum(parts.values())
    results = [
        {"workload": given.workload, "part": part, "seconds": seconds, "share": seconds / whole}
        for part, seconds in parts.items()
    ]
    write_report(given.json, "program_parts", arguments, {"results": results})


def measure(connection: Connection, sql: str, model: LanguageModel) -> dict[str, float]:
    """Seconds of each part in one warm run of a query with one program.

    An operation that several threads share counts once for each.
    """
    plan = plan_query(sql, connection.duckdb)
    execution = Execution(plan, Models(model.name, {model.name: model}))
    execution.run()
    (text,) = (t for p in execution.programs.compiled.values() for t in p.optimised())
    return parts_of_run(execution.run, text)


def _sql(workload: str) -> str:
    return QUERY if workload == "W2" else workloads(workload)[0].sql


if __name__ == "__main__":
    main(sys.argv[1:])
