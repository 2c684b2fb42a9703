"""What DuckDB knows: columns of tables, types of expressions, values of constants.

Types are always DuckDB's own answer: an expression is described over a relation of typed NULLs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, DataError


@dataclass(frozen=True)
class Constant:
    """A value that DuckDB computed while planning.

    Attributes:
        value: an Arrow column of one row.
        type: DuckDB's type.
    """

    value: pa.ChunkedArray
    type: str


class Catalog:
    """Answers questions about names and types through one DuckDB connection."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, parameters: Mapping[str, Any] | None = None
    ) -> None:
        self.connection = connection
        self.parameters = dict(parameters or {})
        self._types: dict[str, tuple[str, ...]] = {}
        self._constants: dict[str, Constant] = {}
        self._functions: dict[str, frozenset[str]] = {}
        self._ieee: bool | None = None

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

    def expected_rows(self, sql: str) -> int | None:
        """How many rows DuckDB expects of a query; None where it does not say."""
        ((_, text),) = self.rows(f"EXPLAIN (FORMAT JSON) {sql}")
        information = json.loads(text)[0]["extra_info"]
        number = information.get("Estimated Cardinality")
        return None if number is None else int(number)

    def parameter_types(self) -> dict[str, str]:
        """DuckDB's type of each parameter's value."""
        return {name: self.rows(f"SELECT typeof(${name})")[0][0] for name in self.parameters}

    def arrow(self, sql: str) -> pa.Table:
        """All rows of a query as an Arrow table."""
        try:
            return self.connection.sql(sql, params=self._used(sql)).to_arrow_table()
        except duckdb.Error as error:
            raise _error(error) from error

    def constant(self, node: exp.Expr) -> Constant:
        """The value of an expression without columns, with DuckDB's type; computed once."""
        self.remember([node])
        return self._constants[node.sql("duckdb")]

    def remember(self, nodes: Iterable[exp.Expr]) -> None:
        """Compute many constants with one query; `constant` then knows them."""
        self._compute(node.sql("duckdb") for node in nodes)

    def agrees_with(self, other: Catalog) -> bool:
        """Whether all that was asked of `other` about constants and settings is so here too."""
        try:
            self._compute(other._constants)
        except (BindError, DataError):
            return False
        if other._ieee is not None and other._ieee != self.floats_are_ieee():
            return False
        return all(self._constants[text] == known for text, known in other._constants.items())

    def _compute(self, texts: Iterable[str]) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._constants]
        if not missing:
            return
        items = ", ".join(f"{text} AS c{place}" for place, text in enumerate(missing))
        try:
            found = self.connection.sql(f"SELECT {items}")
            table = found.to_arrow_table()
        except duckdb.Error as error:
            raise _error(error) from error
        for text, value, kind in zip(missing, table.columns, found.types, strict=True):
            self._constants[text] = Constant(value, str(kind))

    def floats_are_ieee(self) -> bool:
        """Whether 1 / 0 is infinite and the root of -1 NaN; else DuckDB gives NULL or an error."""
        if self._ieee is None:
            ((value,),) = self.rows("SELECT current_setting('ieee_floating_point_ops')")
            self._ieee = bool(value)
        return self._ieee

    def aggregate_names(self) -> frozenset[str]:
        """Lower-case names of DuckDB's aggregate functions."""
        return self._named("function_type = 'aggregate'")

    def volatile_names(self) -> frozenset[str]:
        """Lower-case names of functions whose value depends on more than their arguments."""
        now = "stability = 'CONSISTENT_WITHIN_QUERY' AND len(parameters) = 0"
        return self._named(f"stability = 'VOLATILE' OR function_name = 'age' OR ({now})")

    def macros(self) -> dict[str, str]:
        """Definitions of the database's own macros by lower-case name."""
        chosen = "duckdb_functions() WHERE macro_definition IS NOT NULL AND NOT internal"
        return dict(self.rows(f"SELECT lower(function_name), macro_definition FROM {chosen}"))

    def _named(self, condition: str) -> frozenset[str]:
        if condition not in self._functions:
            sql = f"SELECT lower(function_name) FROM duckdb_functions() WHERE {condition}"
            self._functions[condition] = frozenset(name for (name,) in self.rows(sql))
        return self._functions[condition]

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
