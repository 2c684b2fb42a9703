"""The rows of a finished semantic query, with their exact SQL types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlax.compiler.plan.catalog import quote
from sqlax.rows import Rows

if TYPE_CHECKING:
    import duckdb

    from sqlax.compiler.outcome import Outcome
    from sqlax.compiler.report import Failure, RunReport


class Result(Rows):
    """A semantic query's rows and what it took to compute them."""

    def __init__(self, outcome: Outcome, connection: duckdb.DuckDBPyConnection) -> None:
        self._outcome = outcome
        self._relation = _typed(outcome, connection)

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation."""
        return self._relation

    @property
    def report(self) -> RunReport:
        """Rows, calls, tokens and times of the run."""
        return self._outcome.report

    @property
    def errors(self) -> tuple[Failure, ...]:
        """Rows whose answer is NULL for a reason other than a NULL in the prompt."""
        return self._outcome.report.failures


def _typed(outcome: Outcome, connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyRelation:
    """The outcome's Arrow table with the types that DuckDB gives the query."""
    names = [output.name for output in outcome.outputs]
    if all(output.is_column(place) for place, output in enumerate(outcome.outputs)):
        table = connection.from_arrow(outcome.table.rename_columns(names))
        if _is(table, outcome):
            return table  # one binding less: a third of a millisecond
    table = connection.from_arrow(outcome.table)
    items = [f"{output.sql} AS {quote(output.name)}" for output in outcome.outputs]
    return table.project(", ".join(items))


def _is(table: duckdb.DuckDBPyRelation, outcome: Outcome) -> bool:
    """Whether names and types are those of the query already."""
    told = zip(table.columns, map(str, table.types), strict=True)
    return [*told] == [(output.name, output.type) for output in outcome.outputs]
