"""What DuckDB knows: columns of tables, types of expressions, values of constants.

Types are always DuckDB's own answer: an expression is described over a relation of typed NULLs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import duckdb
from sqlglot import exp

from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, DataError


class Catalog:
    """Answers questions about names and types through one DuckDB connection."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.connection = connection
        self.parameters = dict(parameters or {})
        self._types: dict[str, tuple[str, ...]] = {}

    def describe(self, sql: str) -> tuple[Field, ...]:
        """Output columns of a query.

        Raises:
            BindError: DuckDB cannot bind the query; with DuckDB's reason.
            DataError: DuckDB cannot read what the query names, such as a damaged file.
        """
        try:
            rows = self.connection.execute(f"DESCRIBE {sql}", self._used(sql)).fetchall()
        except duckdb.Error as error:
            raise _error(error) from error
        return tuple(Field(name, type_name) for name, type_name, *_ in rows)

    def types_of(self, expressions: Iterable[exp.Expr], schema: Schema) -> tuple[str, ...]:
        """The DuckDB type of each expression over columns of `schema`."""
        texts = [expression.sql("duckdb") for expression in expressions]
        if not texts:
            return ()
        aliased = ", ".join(f"{text} AS c{i}" for i, text in enumerate(texts))
        sql = f"SELECT {aliased} FROM {typed_nulls(schema)}"
        if sql not in self._types:
            self._types[sql] = tuple(field.type for field in self.describe(sql))
        return self._types[sql]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        try:
            return self.connection.execute(sql, self._used(sql)).fetchall()
        except duckdb.Error as error:
            raise _error(error) from error

    def parameter_types(self) -> dict[str, str]:
        """DuckDB's type of each parameter's value."""
        return {name: self.rows(f"SELECT typeof(${name})")[0][0] for name in self.parameters}

    def aggregate_names(self) -> frozenset[str]:
        """Lower-case names of DuckDB's aggregate functions."""
        functions = "duckdb_functions() WHERE function_type = 'aggregate'"
        names = self.rows(f"SELECT DISTINCT function_name FROM {functions}")
        return frozenset(name for (name,) in names)

    def _used(self, sql: str) -> dict[str, Any]:
        """The parameters that a text names: DuckDB refuses values it was not asked for."""
        return used_parameters(self.connection, sql, self.parameters)


def used_parameters(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The parameters that DuckDB finds in a text."""
    if not parameters or "$" not in sql:
        return {}
    names = {name for part in connection.extract_statements(sql) for name in part.named_parameters}
    return {name: value for name, value in parameters.items() if name in names}


def typed_nulls(schema: Schema) -> str:
    """A FROM item with the schema's columns and types and one row of NULLs."""
    nulls = [f"CAST(NULL AS {f.type}) AS {quote(f.name)}" for f in schema.fields]
    return f"(SELECT {', '.join(nulls) or 'NULL'}) AS t"


def quote(name: str) -> str:
    """An identifier in double quotes."""
    return '"' + name.replace('"', '""') + '"'


def _error(error: duckdb.Error) -> BindError | DataError:
    """Our error for one of DuckDB's: whether the query is wrong, or what it reads."""
    wrong_data = (duckdb.InvalidInputException, duckdb.IOException, duckdb.ConversionException)
    kind = DataError if isinstance(error, wrong_data) else BindError
    return kind(first_line(error))


def first_line(error: Exception) -> str:
    """DuckDB's reason without its echo of a text that the user did not write."""
    text = str(error).split("\nLINE ")[0].strip()
    return re.sub(r"^(Binder|Catalog|Parser) Error: ", "", text)
