"""The rows of a finished semantic query, with their exact SQL types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlax.compiler.plan.catalog import quote

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

    from sqlax.compiler.execution import Outcome
    from sqlax.compiler.report import Failure, RunReport


class Result:
    """A result that is computed; every method reads the same rows."""

    def __init__(self, outcome: Outcome, connection: duckdb.DuckDBPyConnection) -> None:
        self._outcome = outcome
        self._relation = typed_relation(outcome, connection)

    @property
    def columns(self) -> list[str]:
        """Column names."""
        return [field.name for field in self._outcome.outputs]

    @property
    def types(self) -> list[str]:
        """DuckDB type of each column."""
        return [field.type for field in self._outcome.outputs]

    @property
    def report(self) -> RunReport:
        """Rows, calls, tokens and times of the run."""
        return self._outcome.report

    @property
    def errors(self) -> tuple[Failure, ...]:
        """Rows whose answer is NULL for a reason other than a NULL in the prompt."""
        return self._outcome.report.failures

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation."""
        return self._relation

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as Python values."""
        return self._relation.fetchall()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return next(iter(self._relation.limit(1).fetchall()), None)

    def df(self) -> pandas.DataFrame:
        """The rows as a pandas data frame."""
        return self._relation.df()

    def pl(self) -> polars.DataFrame:
        """The rows as a Polars data frame."""
        return self._relation.pl()

    def arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table."""
        return self._relation.to_arrow_table()

    def show(self, **options: Any) -> None:
        """Print the rows as DuckDB prints a relation."""
        self._relation.show(**options)

    def __repr__(self) -> str:
        return repr(self._relation)


def typed_relation(
    outcome: Outcome, connection: duckdb.DuckDBPyConnection
) -> duckdb.DuckDBPyRelation:
    """The outcome's Arrow table as a relation with the types that DuckDB gives the query."""
    table = connection.from_arrow(outcome.table)
    items = [f"{output.sql} AS {quote(output.name)}" for output in outcome.outputs]
    return table.project(", ".join(items))
