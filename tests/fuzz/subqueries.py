"""Random subqueries within expressions: scalar, IN, EXISTS; correlated with one or two levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.families import Family
from tests.fuzz.scope import Leaf, Scope
from tests.fuzz.templates import AGGREGATES

if TYPE_CHECKING:
    from tests.fuzz.writer import Writer


def write(writer: Writer, kind: str, family: Family, scope: Scope, depth: int) -> str:
    """A subquery in brackets.

    Args:
        writer: the query.
        kind: `agg` and `row` are scalar, `in` has one column, `exists` any.
        family: the column's type.
        scope: what the place where it stands may read.
        depth: how deep it may nest.
    """
    outer = visible(writer, scope)
    if kind == "agg":
        return _aggregate(writer, family, outer)
    if kind == "row":
        return _one_row(writer, family, outer)
    from tests.fuzz.selects import write_select

    if kind == "in" and writer.draw.chance(0.25):
        return write_select(writer, outer, depth, [family]).sql
    return _rows(writer, family, outer)


def visible(writer: Writer, scope: Scope) -> list[Leaf]:
    """What a subquery may read of the queries around it: mostly the nearest one's columns."""
    if writer.draw.chance(0.35):
        return []
    return [*scope.leaves, *scope.outer] if writer.draw.chance(0.4) else [*scope.leaves]


def _from(writer: Writer, outer: list[Leaf]) -> tuple[str, Scope]:
    """A small FROM with a WHERE that mostly compares with the outer row."""
    from tests.fuzz.sources import write_from

    text, inner = write_from(writer, [], 0)
    scope = Scope(inner.leaves, outer, subqueries=writer.draw.chance(0.3))
    conditions = []
    pairs = [(a, b) for a in inner.leaves for b in outer if a.family == b.family != "bool"]
    if pairs and writer.draw.chance(0.8):
        a, b = writer.draw.pick(pairs)
        operator = writer.draw.weighed({"=": 8.0, "<": 1.0, ">=": 1.0, "<>": 0.5})
        conditions.append(f"({a.sql} {operator} {b.sql})")
    if not conditions or writer.draw.chance(0.35):
        conditions.append(writer.predicate(scope, 1))
    return f"{text} WHERE {' AND '.join(conditions)}", scope


def _aggregate(writer: Writer, family: Family, outer: list[Leaf]) -> str:
    text, scope = _from(writer, outer)
    inner = Scope(scope.leaves, subqueries=False)
    value = writer.fill(writer.draw.pick(AGGREGATES[family]), inner, 2)
    return f"(SELECT {value} FROM {text})"


def _one_row(writer: Writer, family: Family, outer: list[Leaf]) -> str:
    """The first row in a total order; seldom as many as there are, which may be an error."""
    text, scope = _from(writer, outer)
    inner = Scope(scope.leaves, outer, subqueries=False)
    value = writer.scalar(family, inner, 1)
    if writer.draw.chance(0.1):
        return f"(SELECT {value} FROM {text})"
    return f"(SELECT {value} FROM {text} ORDER BY {writer.total_order(inner)} LIMIT 1)"


def _rows(writer: Writer, family: Family, outer: list[Leaf]) -> str:
    text, scope = _from(writer, outer)
    inner = Scope(scope.leaves, outer, subqueries=False)
    return f"(SELECT {writer.scalar(family, inner, 1)} FROM {text})"
