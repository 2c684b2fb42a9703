"""Random FROM clauses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tests.fuzz.families import FAMILIES, Family, literal
from tests.fuzz.scope import Leaf, Scope, Source

if TYPE_CHECKING:
    from tests.fuzz.writer import Writer

_MOST_PAIRS = 4_000
_KINDS = {
    "JOIN": 4.0,
    "LEFT JOIN": 3.0,
    "RIGHT JOIN": 1.0,
    "FULL JOIN": 1.5,
    "SEMI JOIN": 1.0,
    "ANTI JOIN": 1.0,
    "CROSS JOIN": 0.7,
    ",": 0.5,
    "LATERAL": 1.0,
    "LEFT LATERAL": 0.5,
}
_HALF = ("SEMI JOIN", "ANTI JOIN")
"""Joins that give the left columns only."""


def write_from(writer: Writer, outer: list[Leaf], depth: int) -> tuple[str, Scope]:
    """A FROM clause without its keyword, and what may be read behind it."""
    draw = writer.draw
    count = draw.weighed({1: 4.0, 2: 5.0, 3: 2.0} if depth > 0 else {1: 4.0, 2: 1.0})
    if count > 1 and draw.chance(0.12):
        return _using(writer, outer, count)
    alias, source = writer.alias(), _source(writer, depth)
    text, leaves, rows = f"{source.sql} {alias}", source.leaves(alias), source.rows
    for _ in range(count - 1):
        text, leaves, rows = _join(writer, outer, depth, (text, leaves, rows))
    return text, Scope(leaves, outer)


def _source(writer: Writer, depth: int) -> Source:
    draw = writer.draw
    if writer.ctes and draw.chance(0.5):
        return draw.pick(writer.ctes)
    if depth > 0 and draw.chance(0.2) and writer.may_nest():
        from tests.fuzz.queries import write_query

        shape = write_query(writer, [], depth - 1)
        return shape.source()
    return _values(writer) if draw.chance(0.05) else draw.pick(writer.tables)


def _values(writer: Writer) -> Source:
    draw = writer.draw
    families = [draw.pick(FAMILIES) for _ in range(draw.number(1, 3))]
    rows = [[literal(draw, f) for f in families] for _ in range(draw.number(1, 4))]
    names = [f"v{place}" for place in range(len(families))]
    text = ", ".join(f"({', '.join(row)})" for row in rows)
    columns = tuple((n, f, False) for n, f in zip(names, families, strict=True))
    return Source(f"(SELECT * FROM (VALUES {text}) v({', '.join(names)}))", columns, len(rows))


def _join(
    writer: Writer, outer: list[Leaf], depth: int, left: tuple[str, list[Leaf], float]
) -> tuple[str, list[Leaf], float]:
    text, leaves, rows = left
    kind, alias = writer.draw.weighed(_KINDS), writer.alias()
    if kind.endswith("LATERAL") and depth > 0 and writer.may_nest():
        return _lateral(writer, kind, depth, left, outer)
    kind = kind if "LATERAL" not in kind else "JOIN"
    source = _source(writer, depth)
    right = source.leaves(alias)
    pairs = rows * source.rows
    free = kind in ("CROSS JOIN", ",")
    if free and pairs > _MOST_PAIRS / 8:
        kind, free = "JOIN", False
    if kind in _HALF and _equality(writer, leaves, right) is None:
        kind = "JOIN"
    most = math.inf if kind in _HALF else pairs
    test = "" if free else f" ON {_condition(writer, leaves, right, outer, most)}"
    kept = leaves if kind in _HALF else [*leaves, *right]
    between = ", " if kind == "," else f" {kind} "
    return (
        f"{text}{between}{source.sql} {alias}{test}",
        kept,
        max(rows, pairs if free else pairs / 4),
    )


def _condition(
    writer: Writer,
    left: list[Leaf],
    right: list[Leaf],
    outer: list[Leaf],
    pairs: float,
) -> str:
    """A join condition: mostly equalities, with a residual seldom, without any more seldom.

    Among too many pairs there is an equality always.
    """
    draw, scope = writer.draw, Scope([*left, *right], outer, subqueries=False)
    equal = _equality(writer, left, right)
    if pairs <= _MOST_PAIRS and (equal is None or draw.chance(0.2)):
        return writer.predicate(scope, 1)
    parts = [equal or "FALSE"]
    if draw.chance(0.2):
        parts.append(_equality(writer, left, right) or "TRUE")
    if draw.chance(0.3):
        parts.append(writer.predicate(scope, 1))
    return " AND ".join(parts)


def _equality(writer: Writer, left: list[Leaf], right: list[Leaf]) -> str | None:
    draw = writer.draw
    keys = [(a, b) for a in left for b in right if a.sql[-2:] == b.sql[-2:] == ".k"]
    pairs = [(a, b) for a in left for b in right if a.family == b.family and a.family != "bool"]
    if not pairs:
        return None
    a, b = draw.pick(keys) if keys and draw.chance(0.7) else draw.pick(pairs)
    operator = "IS NOT DISTINCT FROM" if draw.chance(0.05) else "="
    return f"({b.sql} {operator} {a.sql})" if draw.chance(0.3) else f"({a.sql} {operator} {b.sql})"


def _lateral(
    writer: Writer,
    kind: str,
    depth: int,
    left: tuple[str, list[Leaf], float],
    outer: list[Leaf],
) -> tuple[str, list[Leaf], float]:
    from tests.fuzz.selects import write_select

    text, leaves, rows = left
    families: list[Family] = [writer.draw.pick(FAMILIES) for _ in range(writer.draw.number(1, 2))]
    shape = write_select(writer, leaves, 0, families)
    alias = writer.alias()
    source = shape.source()
    how = f", LATERAL {source.sql} {alias}"
    if kind == "LEFT LATERAL":
        how = f" LEFT JOIN LATERAL {source.sql} {alias} ON TRUE"
    return text + how, [*leaves, *source.leaves(alias)], rows * 2


def _using(writer: Writer, outer: list[Leaf], count: int) -> tuple[str, Scope]:
    """Tables joined by `USING (k)`: the column `k` stands without a table's name."""
    draw = writer.draw
    used = [draw.pick(writer.tables) for _ in range(min(count, 2) if draw.chance(0.7) else count)]
    if sum(source.rows for source in used) > 300:
        used = used[:2]
    kinds = [draw.pick(("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN")) for _ in used]
    aliases = [writer.alias() for _ in used]
    text = f"{used[0].sql} {aliases[0]}"
    for kind, source, alias in list(zip(kinds, used, aliases, strict=True))[1:]:
        text += f" {kind} {source.sql} {alias} USING (k)"
    leaves = [leaf for s, a in zip(used, aliases, strict=True) for leaf in s.leaves(a)]
    return text, Scope([Leaf("k", "int"), *(le for le in leaves if le.sql[-2:] != ".k")], outer)
