"""Random queries: SELECTs, set operations, and CTEs that are read twice."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fuzz.draw import Draw
from tests.fuzz.families import FAMILIES, Family
from tests.fuzz.scope import Leaf, Source
from tests.fuzz.selects import Shape, write_select
from tests.fuzz.tables import Table
from tests.fuzz.writer import Writer

_SETS = {"UNION": 3.0, "UNION ALL": 4.0, "EXCEPT": 2.0, "INTERSECT": 2.0} | {
    "EXCEPT ALL": 1.0,
    "INTERSECT ALL": 1.0,
}


def random_query(draw: Draw, tables: Sequence[Table], semantic: bool) -> str:
    """The text of a query over these tables.

    Args:
        draw: decides everything.
        tables: what it may read.
        semantic: whether it may ask the fake model.
    """
    writer = Writer(draw, tables, semantic)
    depth = draw.weighed({0: 2.0, 1: 5.0, 2: 2.0})
    if depth and draw.chance(0.12):
        return _with_ctes(writer, depth)
    return write_query(writer, [], depth).bare


def write_query(writer: Writer, outer: list[Leaf], depth: int) -> Shape:
    """A SELECT or a set operation of several."""
    if depth <= 0 or not writer.draw.chance(0.17):
        return write_select(writer, outer, depth)
    return _set_operation(writer, outer, depth)


def _set_operation(writer: Writer, outer: list[Leaf], depth: int) -> Shape:
    draw = writer.draw
    families: list[Family] = [draw.pick(FAMILIES) for _ in range(draw.number(1, 3))]
    parts = [write_select(writer, outer, depth - 1, families) for _ in range(draw.number(2, 3))]
    text = parts[0].sql
    for part in parts[1:]:
        text = f"({text} {draw.weighed(_SETS)} {part.sql})"
    return Shape(text, (*families,))


def _with_ctes(writer: Writer, depth: int) -> str:
    """A query that reads a CTE, mostly more than once."""
    shape = write_query(writer, [], depth - 1)
    name, hint = writer.alias(), writer.draw.pick(("", "", "MATERIALIZED ", "NOT MATERIALIZED "))
    source = shape.source()
    writer.ctes.append(Source(name, source.columns, source.rows))
    return f"WITH {name} AS {hint}{shape.sql} {write_query(writer, [], depth).bare}"
