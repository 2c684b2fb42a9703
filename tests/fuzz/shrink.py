"""Makes a failing case small: fewer parts of the query, then fewer rows, columns and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from tests.fuzz.case import Case
from tests.fuzz.reductions import reductions

Fails = Callable[[Case], bool]

_MOST_TRIES = 400


class _Search:
    """Greedy: a smaller case that still fails takes the place of the larger one."""

    def __init__(self, case: Case, fails: Fails) -> None:
        self.case = case
        self._fails = fails
        self._tries = 0
        self._seen = {case}

    def better(self, candidates: Iterator[Case]) -> bool:
        """Whether one of the candidates still fails; it is kept."""
        for candidate in candidates:
            if self._tries >= _MOST_TRIES or candidate in self._seen:
                continue
            self._seen.add(candidate)
            self._tries += 1
            if self._fails(candidate):
                self.case = candidate
                return True
        return False


def shrink(case: Case, fails: Fails) -> Case:
    """A small case that still fails.

    Args:
        case: one that fails.
        fails: tells whether a smaller one does; called some hundred times.
    """
    search = _Search(case, fails)
    search.better(_halves(search.case))
    for smaller in (_tables, _halves, _queries, _tables, _halves, _rows, _columns, _queries):
        while search.better(smaller(search.case)):
            pass
    return search.case


def _queries(case: Case) -> Iterator[Case]:
    """The query with one part left out or put in place of a larger one."""
    try:
        tree = parse_one(case.sql, dialect="duckdb")
    except SqlglotError:
        return
    for smaller in reductions(tree):
        sql = _text(smaller)
        if sql is not None and len(sql) < len(case.sql):
            yield case.with_sql(sql)


def _text(tree: exp.Expr) -> str | None:
    try:
        return tree.sql(dialect="duckdb")
    except (SqlglotError, AttributeError, TypeError, ValueError):
        return None


def _tables(case: Case) -> Iterator[Case]:
    for place in range(len(case.tables)):
        yield case.with_table(place, None)


def _halves(case: Case) -> Iterator[Case]:
    """A table without half of its rows."""
    for place, table in enumerate(case.tables):
        half = len(table.rows) // 2
        if half > 1:
            yield case.with_table(place, table.with_rows(table.rows[half:]))
            yield case.with_table(place, table.with_rows(table.rows[:half]))


def _rows(case: Case) -> Iterator[Case]:
    """A table without one of its rows."""
    for place, table in enumerate(case.tables):
        for row in range(len(table.rows)):
            rest = table.rows[:row] + table.rows[row + 1 :]
            yield case.with_table(place, table.with_rows(rest))


def _columns(case: Case) -> Iterator[Case]:
    for place, table in enumerate(case.tables):
        if len(table.columns) > 1:
            for column in range(len(table.columns)):
                yield case.with_table(place, table.without(column))
