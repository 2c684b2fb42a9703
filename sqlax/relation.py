"""A lazy semantic query: planned at once, run when its rows are first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pandas
    import polars
    import pyarrow

    from sqlax.compiled import CompiledQuery
    from sqlax.compiler.report import Failure, RunReport
    from sqlax.result import Result


class Relation:
    """The rows of a semantic query; it is run once, by the first method that needs them."""

    def __init__(self, query: CompiledQuery) -> None:
        self._query = query

    @cached_property
    def result(self) -> Result:
        """The finished run."""
        return self._query.run()

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as Python values."""
        return self.result.fetchall()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return self.result.fetchone()

    def df(self) -> pandas.DataFrame:
        """The rows as a pandas data frame."""
        return self.result.df()

    def pl(self) -> polars.DataFrame:
        """The rows as a Polars data frame."""
        return self.result.pl()

    def arrow(self) -> pyarrow.Table:
        """The rows as an Arrow table."""
        return self.result.arrow()

    def show(self, **options: Any) -> None:
        """Print the rows as DuckDB prints a relation."""
        self.result.show(**options)

    def explain(self, *, analyze: bool = False, verbose: bool = False) -> str:
        """The plan with estimates; with `analyze` the query is run and measured."""
        return self._query.explain(analyze=analyze, verbose=verbose)

    @property
    def report(self) -> RunReport:
        """Rows, calls, tokens and times of the run."""
        return self.result.report

    @property
    def errors(self) -> tuple[Failure, ...]:
        """Rows whose answer is NULL for a reason other than a NULL in the prompt."""
        return self.result.errors

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation."""
        return self.result.relation

    def __repr__(self) -> str:
        return repr(self.result)
