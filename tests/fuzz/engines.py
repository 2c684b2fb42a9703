"""DuckDB, and sqlax in every mode over the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType

import duckdb

from sqlax.compiler.placement import Mode
from sqlax.compiler.query import QueryPlan
from sqlax.errors import SqlaxError
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.fuzz.compare import Answer
from tests.fuzz.eager import execution
from tests.fuzz.oracle import Oracle, answer_of, connect, first_line
from tests.fuzz.planning import Planner
from tests.fuzz.tables import Table

MODES: tuple[Mode, ...] = ("hybrid", "graph", "duckdb")
"""All but `split`, which differs from `duckdb` in name only."""
MODEL = FakeModel({"odd": "maybe", "good": 1.0}, default=0.0)
"""Answers as the macros do."""


def answer(
    database: duckdb.DuckDBPyConnection,
    sql: str,
    mode: str,
    *,
    compiled: bool = False,
    model: FakeModel = MODEL,
) -> Answer:
    """The answer of sqlax in a mode.

    Args:
        database: the tables.
        sql: the query.
        mode: where its parts run; see `Planner.plan`.
        compiled: whether its program is compiled, or evaluated operation by operation.
        model: the model it asks.
    """
    return _answer(Planner(database), sql, mode, compiled, model)


def planned(database: duckdb.DuckDBPyConnection, sql: str, mode: str) -> QueryPlan:
    """The query in a mode; see `Planner.plan`."""
    return Planner(database).plan(sql, mode)


def _answer(planner: Planner, sql: str, mode: str, compiled: bool, model: FakeModel) -> Answer:
    try:
        plan = planner.plan(sql, mode)
        outcome = execution(plan, model, compiled=compiled).run()
        return answer_of(Result(outcome, planner.database).relation)
    except (SqlaxError, duckdb.Error) as error:
        return Answer(error=first_line(error))
    except Exception as error:
        return Answer(error=f"CRASH {first_line(error)}")


class Engines:
    """Two databases of the same tables: the oracle's, with macros for the model, and sqlax's."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.oracle, self.database = Oracle(tables), connect(tables)
        self.planner = Planner(self.database)

    def expected(self, sql: str) -> Answer:
        """DuckDB's answer.

        Raises:
            InvalidQueryError: there is no one answer.
        """
        return self.oracle.answer(sql)

    def answer(self, sql: str, mode: str, *, compiled: bool = False) -> Answer:
        """The answer of sqlax in a mode; see `answer`."""
        return _answer(self.planner, sql, mode, compiled, MODEL)

    def __enter__(self) -> Engines:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.oracle.close()
        self.database.close()
