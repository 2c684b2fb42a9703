"""Random window functions whose values do not depend on the order of equal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fuzz.families import Family
from tests.fuzz.scope import Scope
from tests.fuzz.templates import AGGREGATES, FRAMES, PLACES, RANKS

if TYPE_CHECKING:
    from tests.fuzz.writer import Writer


def write_window(writer: Writer, family: Family, scope: Scope, order: str) -> str:
    """A window function of a family.

    Args:
        writer: the query.
        family: the type of its value.
        scope: what it may read.
        order: an order without peers; a SELECT has one, so that its windows number rows alike.
    """
    draw = writer.draw
    if family in ("int", "double") and draw.chance(0.5):
        return _rank(writer, family, scope, order)
    if draw.chance(0.5):
        function = writer.fill(draw.pick(PLACES[family]), scope, 1)
        return f"{function} OVER ({_over(writer, scope, order)})"
    return _aggregate(writer, family, scope, order)


def _rank(writer: Writer, family: Family, scope: Scope, order: str) -> str:
    draw = writer.draw
    if family == "int" and draw.chance(0.5):
        function = draw.pick(("ROW_NUMBER()", f"NTILE({draw.number(1, 4)})"))
        return f"{function} OVER ({_over(writer, scope, order)})"
    function = draw.pick(RANKS[:2] if family == "int" else RANKS[2:])
    return f"{function} OVER ({_over(writer, scope, _some_order(writer, scope))})"


def _aggregate(writer: Writer, family: Family, scope: Scope, order: str) -> str:
    draw = writer.draw
    simple = [t for t in AGGREGATES[family] if "ORDER" not in t and "{strings}" not in t]
    function = writer.fill(draw.pick([t for t in simple if t[0] != "("]), scope, 1)
    if draw.chance(0.15):
        function += f" FILTER (WHERE {writer.predicate(scope, 1)})"
    frame = writer.fill(draw.pick(FRAMES), scope, 1)
    if "ROWS" in frame:
        return f"{function} OVER ({_over(writer, scope, order)} {frame})"
    some = _some_order(writer, scope) if frame or draw.chance(0.5) else ""
    return f"{function} OVER ({_over(writer, scope, some)} {frame})"


def _over(writer: Writer, scope: Scope, order: str) -> str:
    keys = [leaf.sql for leaf in writer.draw.some([*scope.leaves], 1, 2)]
    if not keys or writer.draw.chance(0.35):
        return order
    return f"PARTITION BY {', '.join(keys)} {order}"


def _some_order(writer: Writer, scope: Scope) -> str:
    keys = writer.draw.some([*scope.leaves], 1, 2)
    return f"ORDER BY {', '.join(writer.order(leaf.sql) for leaf in keys)}" if keys else ""
