"""Every error that sqlax raises, in one hierarchy: each class is a thing a caller can act on."""

from __future__ import annotations

from dataclasses import dataclass


class SqlaxError(Exception):
    """The root of all errors that sqlax raises on purpose."""


@dataclass(frozen=True)
class Span:
    """A range of characters of the SQL text: `start` included, `end` excluded, both from 0."""

    start: int
    end: int


class SqlError(SqlaxError):
    """The SQL text cannot be run; the message underlines the place where that is known."""

    def __init__(self, message: str, sql: str | None = None, span: Span | None = None) -> None:
        self.reason = message
        self.sql = sql
        self.span = span
        super().__init__(message if sql is None or span is None else underline(message, sql, span))


class ParseError(SqlError):
    """The text is not SQL that sqlax can read."""


class BindError(SqlError):
    """A name, argument or type does not fit: unknown column, empty label list, `{2}` of two."""


class UnsupportedError(SqlError):
    """Valid SQL that cannot be compiled into the graph yet; the message names the operator."""


class ModelError(SqlaxError):
    """A model cannot be found, fetched or loaded."""


class ModelNotFoundError(ModelError):
    """No model of that name; the message lists those that exist."""


class CorruptModelError(ModelError):
    """A weight or tokenizer file is damaged, truncated or of an unknown layout."""


class DataError(SqlaxError):
    """Input data cannot be read, such as text that is not valid UTF-8."""


class OutsideGraphError(DataError):
    """A value that the graph's numbers cannot hold; DuckDB can still answer the query."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class CapacityError(SqlaxError):
    """What was asked does not fit the memory it was given; the message names the limit."""


class RowError(SqlaxError):
    """A row could not be answered and the query asked for an error instead of NULL."""


def underline(message: str, sql: str, span: Span) -> str:
    """The message, then the line of SQL in question with carets below the span."""
    start = min(max(span.start, 0), len(sql))
    line_start = sql.rfind("\n", 0, start) + 1
    line_end = sql.find("\n", start)
    line = sql[line_start : line_end if line_end >= 0 else len(sql)]
    column = start - line_start
    width = max(1, min(span.end - start, len(line) - column))
    number = sql.count("\n", 0, start) + 1
    label = f"line {number}: "
    return f"{message}\n{label}{line}\n{' ' * (len(label) + column)}{'^' * width}"
