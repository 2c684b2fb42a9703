"""A connection: DuckDB beneath, a language model beside it."""

from __future__ import annotations

import os
import uuid
from typing import TYPE_CHECKING, Any, cast

import duckdb

from sqlax.compiled import CompiledQuery, name_parameters
from sqlax.compiler.sql.statement import Kind, Statement, read_statements
from sqlax.errors import BindError, SqlaxError
from sqlax.relation import PlainRelation, Relation, SemanticRelation
from sqlax.runtime.collection import no_collection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlax.compiler.execution import Execution
    from sqlax.compiler.outcome import OnProgress
    from sqlax.compiler.placement import Mode
    from sqlax.compiler.programs import ProgramCache
    from sqlax.compiler.sql.tokens import Dialect
    from sqlax.errors import Span
    from sqlax.models.language_model import LanguageModel

DEFAULT_MODEL = "smollm2-135m-instruct"


class Connection:
    """SQL over DuckDB's tables, with semantic functions answered by a language model.

    Statements without semantic functions go to DuckDB untouched. A connection is not for use by
    several threads at once; `cursor()` gives another one over the same database.

    Args:
        database: DuckDB's database file, or `:memory:`.
        model: name or path of the default model, or a `LanguageModel`; loaded when first asked.
        dialect: whose spelling of semantic functions and strings texts follow.
        mode: `hybrid` lets DuckDB run all that needs no model, `graph` as little as possible,
            `duckdb` all but the semantic operators. `graph` also compiles plain queries. `split`
            is `duckdb` under the name of the baseline that one program is compared with.
        progress: show a progress bar on standard error when a query runs for over a second.
        token_budget: most tokens of table texts in memory at once; None for 64 Mi.
        memory_budget: bytes for the rows that a query's program reads; tables that are expected to
            take more come in morsels. None for half of the machine's memory.
    """

    def __init__(
        self,
        database: str | os.PathLike[str] | duckdb.DuckDBPyConnection = ":memory:",
        model: str | os.PathLike[str] | LanguageModel = DEFAULT_MODEL,
        *,
        dialect: Dialect = "duckdb",
        mode: Mode = "hybrid",
        progress: bool = False,
        token_budget: int | None = None,
        memory_budget: int | None = None,
    ) -> None:
        self.duckdb = _open(database)
        self.dialect = dialect
        self.mode = mode
        self._model = model
        self._models: dict[str, LanguageModel] = {}
        self._progress = progress
        self._token_budget = token_budget
        self._memory_budget = memory_budget
        self._programs: ProgramCache | None = None
        self._rows: Relation | None = None

    def sql(self, text: str, params: object = None) -> Relation:
        """A lazy relation over the text's last statement; earlier ones are run.

        Args:
            text: SQL; `?` and `$name` are parameters.
            params: their values, as a sequence or a mapping.

        Returns:
            The statement's rows; none for a statement that has none, such as CREATE TABLE.

        Raises:
            SqlaxError: see the classes in `sqlax.errors`.
        """
        *earlier, last = read_statements(text, self.dialect)
        for statement in earlier:
            self._run(statement, params)
        return self._run(last, params)

    def execute(self, text: str, params: object = None) -> Connection:
        """Run every statement of the text; the rows of the last one can be fetched."""
        for statement in read_statements(text, self.dialect):
            self._rows = self._run(statement, params)
            if isinstance(self._rows, PlainRelation):
                self._rows = PlainRelation(self._rows.relation.materialize())
        return self

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows of the last `execute`."""
        if self._rows is None:
            raise SqlaxError("nothing was executed that has rows")
        return self._rows.fetchall()

    def compile(self, text: str, params: object = None) -> CompiledQuery:
        """A semantic query, compiled once and run many times.

        Args:
            text: one query, with or without semantic functions.
            params: sample values of its parameters; `run` may give others.

        Raises:
            BindError: the text is not one query.
        """
        statements = read_statements(text, self.dialect)
        if len(statements) != 1 or not statements[0].is_query:
            raise BindError("compile needs one query", text)
        return self._query(statements[0], params)

    def register(self, name: str, data: object) -> Connection:
        """Make a data frame or Arrow table visible as a table of that name."""
        self.duckdb.register(name, data)
        return self

    def cursor(self) -> Connection:
        """Another connection to the same database, with the same models."""
        other = Connection(
            self.duckdb.cursor(),
            self._model,
            dialect=self.dialect,
            mode=self.mode,
            progress=self._progress,
            token_budget=self._token_budget,
            memory_budget=self._memory_budget,
        )
        other._models = self._models
        return other

    def close(self) -> None:
        """Close the DuckDB connection."""
        self.duckdb.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _query(self, statement: Statement, params: object) -> CompiledQuery:
        parameters = name_parameters(params)

        def make(values: Mapping[str, Any]) -> Execution:
            with no_collection():
                return self._plan(statement.sql, statement.query_span or statement.span, values)

        return CompiledQuery(make, parameters, self._on_progress())

    def _plan(self, text: str, span: Span | None, parameters: Mapping[str, Any]) -> Execution:
        from sqlax.compiler.execution import Execution
        from sqlax.compiler.lowering.models import Models
        from sqlax.compiler.query import plan_query
        from sqlax.runtime.load.pool import DEFAULT_TOKEN_BUDGET

        plan = plan_query(
            text,
            self.duckdb,
            parameters=parameters,
            dialect=self.dialect,
            mode=self.mode,
            span=span,
        )
        default = self._default_model().name if plan.models else ""
        for name in plan.models:
            self._load(name or default)
        budget = self._token_budget or DEFAULT_TOKEN_BUDGET
        models, programs = Models(default, self._models), self._known_programs().of(plan)
        return Execution(plan, models, budget, memory_budget=self._memory_budget, programs=programs)

    def _known_programs(self) -> ProgramCache:
        """The programs of texts that were run before."""
        from sqlax.compiler.programs import ProgramCache

        self._programs = self._programs or ProgramCache()
        return self._programs

    def _default_model(self) -> LanguageModel:
        if isinstance(self._model, str | os.PathLike):
            return self._load(os.fspath(self._model))
        return self._models.setdefault(self._model.name, self._model)

    def _load(self, name: str) -> LanguageModel:
        if name not in self._models:
            from sqlax.models.registry.load import load

            self._models[name] = cast("LanguageModel", load(name))
        return self._models[name]

    def _on_progress(self) -> OnProgress | None:
        if not self._progress:
            return None
        from sqlax.progress import ProgressBar

        return ProgressBar()

    def _run(self, statement: Statement, params: object) -> Relation:
        """The rows of a statement; all but queries are run now."""
        if statement.kind is Kind.DUCKDB and not (self.mode == "graph" and statement.is_query):
            found = self.duckdb.sql(statement.text, params=params)
            return PlainRelation(self._no_rows() if found is None else found)
        query = self._query(statement, params)
        if statement.kind in (Kind.QUERY, Kind.DUCKDB):
            return SemanticRelation(query)
        if statement.kind is Kind.EXPLAIN:
            text = query.explain(analyze=statement.analyze, verbose=statement.verbose)
            return PlainRelation(self._explained(text))
        self._store(statement, query)
        return PlainRelation(self._no_rows())

    def _no_rows(self) -> duckdb.DuckDBPyRelation:
        return self.duckdb.sql("SELECT 0 AS count WHERE FALSE")

    def _explained(self, text: str) -> duckdb.DuckDBPyRelation:
        sql = "SELECT 'sqlax_plan' AS explain_key, $plan AS explain_value"
        return self.duckdb.sql(sql, params={"plan": text})

    def _store(self, statement: Statement, query: CompiledQuery) -> None:
        """CREATE TABLE AS, INSERT and COPY: run the query and let DuckDB store its rows."""
        name = f"sqlax_rows_{uuid.uuid4().hex}"
        self.duckdb.register(name, query.run().arrow())
        try:
            self.duckdb.execute(statement.with_query(f"SELECT * FROM {name}"))
        finally:
            self.duckdb.unregister(name)


def _open(
    database: str | os.PathLike[str] | duckdb.DuckDBPyConnection,
) -> duckdb.DuckDBPyConnection:
    """The DuckDB connection given, or a new one that sees data frames of all calling functions."""
    if isinstance(database, duckdb.DuckDBPyConnection):
        return database
    connection = duckdb.connect(os.fspath(database))
    connection.execute("SET python_scan_all_frames = true")
    return connection
