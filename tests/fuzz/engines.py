"""DuckDB, and sqlax in every mode over the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import get_args

import duckdb

from sqlax.compiler.placement import Mode
from sqlax.compiler.query import plan_query
from sqlax.errors import SqlaxError
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.fuzz.compare import Answer
from tests.fuzz.eager import execution

MODES: tuple[Mode, ...] = get_args(Mode)
MACROS = Path(__file__).parents[1] / "compiler" / "differential" / "macros.sql"
MODEL = FakeModel({"odd": "maybe", "good": 1.0}, default=0.0)
"""Answers as the macros do."""


class InvalidQueryError(Exception):
    """DuckDB does not take the query at all."""


class Engines:
    """Two databases of the same tables: DuckDB's with macros for the model, and sqlax's."""

    def __init__(self, statements: Sequence[str]) -> None:
        self.oracle, self.database = duckdb.connect(), duckdb.connect()
        for connection in (self.oracle, self.database):
            connection.execute("SET threads = 1")
            for statement in statements:
                connection.execute(statement)
        self.oracle.execute(MACROS.read_text("utf-8"))

    def expected(self, sql: str) -> Answer:
        """DuckDB's answer.

        Raises:
            InvalidQueryError: it has none, for the query cannot be bound.
        """
        try:
            return answer_of(self.oracle.sql(sql))
        except (
            duckdb.BinderException,
            duckdb.CatalogException,
            duckdb.InternalException,
            duckdb.NotImplementedException,
            duckdb.ParserException,
        ) as error:
            raise InvalidQueryError(first_line(error)) from error
        except duckdb.Error as error:
            return Answer(error=first_line(error))

    def answer(self, sql: str, mode: Mode, *, compiled: bool) -> Answer:
        """Sqlax's answer in a mode.

        Args:
            sql: the query.
            mode: where its parts run.
            compiled: whether its program is compiled, or evaluated operation by operation.
        """
        try:
            plan = plan_query(sql, self.database, mode=mode)
            outcome = execution(plan, MODEL, compiled=compiled).run()
            return answer_of(Result(outcome, self.database).relation)
        except (SqlaxError, duckdb.Error) as error:
            return Answer(error=first_line(error))
        except Exception as error:
            return Answer(error=f"CRASH {first_line(error)}")

    def close(self) -> None:
        """Close both databases."""
        self.oracle.close()
        self.database.close()

    def __enter__(self) -> Engines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def answer_of(relation: duckdb.DuckDBPyRelation) -> Answer:
    """A relation's columns and rows."""
    types = tuple(str(kind) for kind in relation.types)
    return Answer(tuple(relation.columns), types, tuple(relation.fetchall()))


def first_line(error: Exception) -> str:
    """The kind of an error and what it says first."""
    lines = str(error).splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:200]}"
