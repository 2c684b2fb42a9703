"""DuckDB's answer, where it has one: asked twice, in two ways."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from tests.fuzz.compare import Answer, difference
from tests.fuzz.tables import Table

MACROS = Path(__file__).parents[1] / "compiler" / "differential" / "macros.sql"
_REFUSALS = (
    duckdb.BinderException,
    duckdb.CatalogException,
    duckdb.InternalException,
    duckdb.NotImplementedException,
    duckdb.ParserException,
)


class InvalidQueryError(Exception):
    """DuckDB does not take the query, or gives two answers to it."""


class Oracle:
    """DuckDB with macros that answer as the fake model does.

    A query is put to it as usual, and once more over rows in reverse order without DuckDB's
    optimizer. Where the two differ, the query has no one answer, or DuckDB has a fault. (It has:
    in 2.0.1 `a SEMI JOIN b ON b.x > b.y` looks at one row of b.)
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        backwards = [table.with_rows(table.rows[::-1]) for table in tables]
        self.connection, self._other = connect(tables), connect(backwards)
        for connection in (self.connection, self._other):
            connection.execute(MACROS.read_text("utf-8"))
        self._other.execute("PRAGMA disable_optimizer")

    def answer(self, sql: str) -> Answer:
        """The rows, or the error that a value causes.

        Raises:
            InvalidQueryError: there is no one answer.
        """
        answer = _ask(self.connection, sql)
        what = difference(answer, _ask(self._other, sql))
        if what is not None:
            raise InvalidQueryError(what)
        return answer

    def close(self) -> None:
        """Close the databases."""
        self.connection.close()
        self._other.close()


def connect(tables: Sequence[Table]) -> duckdb.DuckDBPyConnection:
    """A new database with these tables."""
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    for table in tables:
        connection.execute(table.sql())
    return connection


def answer_of(relation: duckdb.DuckDBPyRelation) -> Answer:
    """A relation's columns and rows."""
    types = tuple(str(kind) for kind in relation.types)
    return Answer(tuple(relation.columns), types, tuple(relation.fetchall()))


def first_line(error: Exception) -> str:
    """The kind of an error and what it says first."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"


def _ask(connection: duckdb.DuckDBPyConnection, sql: str) -> Answer:
    try:
        return answer_of(connection.sql(sql))
    except _REFUSALS as error:
        raise InvalidQueryError(first_line(error)) from error
    except duckdb.Error as error:
        return Answer(error=first_line(error))
