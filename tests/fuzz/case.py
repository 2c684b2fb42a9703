"""One query over its tables, and whether sqlax answers it as DuckDB does."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.fuzz.compare import difference
from tests.fuzz.engines import Engines
from tests.fuzz.oracle import InvalidQueryError
from tests.fuzz.tables import Table


@dataclass(frozen=True)
class Case:
    """A query with the tables that it may read."""

    tables: tuple[Table, ...]
    sql: str

    def with_sql(self, sql: str) -> Case:
        """Another query over the same tables."""
        return replace(self, sql=sql)

    def with_table(self, place: int, table: Table | None) -> Case:
        """The case with another table at a place, or without it."""
        tables = list(self.tables)
        tables[place : place + 1] = [] if table is None else [table]
        return replace(self, tables=tuple(tables))


@dataclass(frozen=True)
class Failure:
    """A case that a mode answers otherwise.

    Attributes:
        name: the seed and the query's number.
        case: the query and its tables.
        mode: where its parts ran.
        compiled: whether its program was compiled.
        what: the difference.
    """

    name: str
    case: Case
    mode: str
    compiled: bool
    what: str

    @property
    def kind(self) -> str:
        """What kind of difference it is: those of one kind may have one cause."""
        return self.what[:60] if "error" in self.what.lower() else self.what.partition(":")[0]


def check(engines: Engines, sql: str, mode: str, *, compiled: bool) -> str | None:
    """How a mode's answer differs from DuckDB's; None where it does not.

    Raises:
        InvalidQueryError: DuckDB cannot bind the query.
    """
    got = engines.answer(sql, mode, compiled=compiled)
    return difference(engines.expected(sql), got)


def still_fails(failure: Failure, case: Case) -> bool:
    """Whether a smaller case differs in the same way, over tables made anew."""
    try:
        with Engines(case.tables) as engines:
            what = check(engines, case.sql, failure.mode, compiled=failure.compiled)
    except (InvalidQueryError, ValueError):
        return False
    return what is not None and replace(failure, what=what).kind == failure.kind
