"""What `Connection.sql` returns: the rows of a statement, whether a model answers it or not."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, final

from sqlax.rows import Rows

if TYPE_CHECKING:
    import duckdb

    from sqlax.compiled import CompiledQuery
    from sqlax.compiler.report import Failure, RunReport
    from sqlax.result import Result


class Relation(Rows):
    """The rows of one statement, computed when they are first asked for."""

    @abstractmethod
    def explain(self, *, analyze: bool = False, verbose: bool = False) -> str:
        """The plan with estimates; with `analyze` the statement is run and measured."""

    @property
    @abstractmethod
    def report(self) -> RunReport:
        """Rows, calls, tokens and times of the run."""

    @property
    def errors(self) -> tuple[Failure, ...]:
        """Rows whose answer is NULL for a reason other than a NULL in the prompt."""
        return self.report.failures


@final
class SemanticRelation(Relation):
    """A semantic query: planned at once, run once, by the first method that needs its rows."""

    def __init__(self, query: CompiledQuery) -> None:
        self._query = query
        query.plan()

    @cached_property
    def result(self) -> Result:
        """The finished run."""
        return self._query.run()

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation."""
        return self.result.relation

    @property
    def report(self) -> RunReport:
        """Rows, calls, tokens and times of the run."""
        return self.result.report

    def explain(self, *, analyze: bool = False, verbose: bool = False) -> str:
        """The plan with estimates; with `analyze` the query is run and measured."""
        return self._query.explain(analyze=analyze, verbose=verbose)


@final
class PlainRelation(Relation):
    """What DuckDB answers by itself."""

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """DuckDB's own relation."""
        return self._relation

    @property
    def report(self) -> RunReport:
        """An empty report: no model was asked."""
        from sqlax.compiler.report import RunReport

        return RunReport((), (), 0, 0.0, 0.0, 0)

    def explain(self, *, analyze: bool = False, verbose: bool = False) -> str:
        """DuckDB's EXPLAIN, or its EXPLAIN ANALYZE."""
        return self._relation.explain("analyze" if analyze else "standard")
