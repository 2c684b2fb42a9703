"""Where in the SQL text a node was written, and errors that underline it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlax.errors import BindError, Span, UnsupportedError

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True)
class Place:
    """A range of one SQL text that an error can underline."""

    sql: str
    span: Span

    def of(self, node: exp.Expr) -> Place:
        """The place of a node within this one; this place if the node has no position in it."""
        span = span_of(node, within=self.span)
        return self if span is None else Place(self.sql, span)

    def error(self, message: str) -> BindError:
        """An error that underlines this place."""
        return BindError(message, self.sql, self.span)

    def unsupported(self, message: str) -> UnsupportedError:
        """An error that names something valid here that cannot be compiled."""
        return UnsupportedError(message, self.sql, self.span)


def span_of(node: exp.Expr, within: Span | None = None) -> Span | None:
    """The range from the first to the last position known below a node.

    sqlglot records positions of names and literals only, so brackets at either end are left out.
    """
    spans = [span for below in node.walk() if (span := _own_span(below)) is not None]
    if within is not None:
        spans = [span for span in spans if within.start <= span.start and span.end <= within.end]
    if not spans:
        return None
    return Span(min(span.start for span in spans), max(span.end for span in spans))


def set_span(node: exp.Expr, span: Span) -> None:
    """Record a position the way sqlglot does: the end is the last character's."""
    node.meta["start"] = span.start
    node.meta["end"] = span.end - 1


def _own_span(node: exp.Expr) -> Span | None:
    start, end = node.meta.get("start"), node.meta.get("end")
    return Span(start, end + 1) if isinstance(start, int) and isinstance(end, int) else None
