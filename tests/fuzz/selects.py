"""Random SELECTs: plain, grouped, with windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.fuzz.families import FAMILIES, Family
from tests.fuzz.scope import Leaf, Scope, Source
from tests.fuzz.sources import write_from
from tests.fuzz.templates import AGGREGATES
from tests.fuzz.windows import write_window

if TYPE_CHECKING:
    from tests.fuzz.writer import Writer


@dataclass(frozen=True)
class Shape:
    """A query in brackets with its columns' families; they are named c0, c1, ..."""

    sql: str
    families: tuple[Family, ...]

    def source(self) -> Source:
        """The query as a table."""
        columns = tuple((f"c{place}", family, False) for place, family in enumerate(self.families))
        return Source(self.sql, columns, 20)

    @property
    def bare(self) -> str:
        """The query without its brackets."""
        return self.sql[1:-1]


@dataclass(frozen=True)
class Body:
    """What makes up a SELECT besides its items.

    Attributes:
        tail: FROM and all that follows.
        scope: what its items may read.
        item: writes an item of a family.
    """

    tail: str
    scope: Scope
    item: Callable[[Family], str]


def write_select(
    writer: Writer, outer: list[Leaf], depth: int, families: Sequence[Family] | None = None
) -> Shape:
    """A SELECT of columns of these families, or of any."""
    draw = writer.draw
    wanted = families or [draw.pick(FAMILIES) for _ in range(draw.number(1, 4))]
    text, scope = write_from(writer, outer, depth)
    if draw.chance(0.5):
        text += f" WHERE {_where(writer, scope, depth + 1)}"
    write = draw.weighed({_plain: 5.0, _grouped: 4.0, _windowed: 3.0})
    body = write(writer, text, scope, depth)
    items = [f"{body.item(family)} AS c{place}" for place, family in enumerate(wanted)]
    distinct = "DISTINCT " if draw.chance(0.12) and "QUALIFY" not in body.tail else ""
    return _ended(
        writer, Shape(f"(SELECT {distinct}{', '.join(items)} FROM {body.tail})", (*wanted,))
    )


def _where(writer: Writer, scope: Scope, depth: int) -> str:
    """A condition; often one that most rows pass, for a random one seldom holds."""
    condition = writer.predicate(scope, depth)
    form = writer.draw.weighed({"{}": 5.0, "({} IS NOT TRUE)": 2.0, "({} OR {})": 2.0})
    return form.format(condition, writer.predicate(scope, 1))


def _ended(writer: Writer, shape: Shape) -> Shape:
    """Seldom with DISTINCT ON, or with ORDER BY all and LIMIT."""
    draw, count = writer.draw, len(shape.families)
    order = ", ".join(writer.order(f"c{place}") for place in range(count))
    if draw.chance(0.06):
        sql = f"(SELECT DISTINCT ON (c0) * FROM {shape.sql} {writer.alias()} ORDER BY {order})"
        return Shape(sql, shape.families)
    if draw.chance(0.12):
        offset = draw.pick(("", "", f" OFFSET {draw.number(0, 4)}"))
        return Shape(
            f"({shape.bare} ORDER BY {order} LIMIT {draw.pick((0, 1, 2, 3, 5, 8, 100))}{offset})",
            shape.families,
        )
    return shape


def _plain(writer: Writer, text: str, scope: Scope, depth: int) -> Body:
    return Body(text, scope, lambda family: writer.scalar(family, scope, depth + 1))


def _grouped(writer: Writer, text: str, scope: Scope, depth: int) -> Body:
    draw = writer.draw
    inner = Scope(scope.leaves, scope.outer, subqueries=False)
    keys = _keys(writer, inner)
    having_scope = Scope([*keys, *_aggregates(writer, inner)], subqueries=False)
    tail = text + _group_by(writer, [leaf.sql for leaf in keys])
    if draw.chance(0.3):
        tail += f" HAVING {writer.predicate(having_scope, 1)}"

    def item(family: Family) -> str:
        if draw.chance(0.5):
            return _aggregate(writer, family, inner)
        return writer.scalar(family, having_scope, 1)

    return Body(tail, having_scope, item)


def _keys(writer: Writer, scope: Scope) -> list[Leaf]:
    """Group keys: mostly columns."""
    keys = writer.draw.some([*scope.leaves], 0, 3)
    if writer.draw.chance(0.2):
        family = writer.draw.pick(FAMILIES)
        text = writer.fill(writer.draw.pick(_KEY_FORMS[family]), scope, 1)
        keys.append(Leaf(text, family))
    return list(dict.fromkeys(keys))


_KEY_FORMS: dict[Family, tuple[str, ...]] = {
    "int": ("({int} % 3)", "length({text})", "year({date})"),
    "double": ("floor({double})", "({double} * 2)"),
    "decimal": ("({decimal} + 1)",),
    "text": ("upper({text})", "substr({text}, 1, 1)"),
    "date": ("last_day({date})",),
    "bool": ("({any} IS NULL)", "({int} > 1)"),
}


def _group_by(writer: Writer, keys: list[str]) -> str:
    if not keys:
        return ""
    listed = ", ".join(keys)
    style = writer.draw.weighed({"plain": 8.0, "ROLLUP": 0.7, "CUBE": 0.5, "sets": 0.7})
    if style == "plain":
        return f" GROUP BY {listed}"
    if style == "sets":
        sets = [f"({', '.join(writer.draw.some(keys, 0, len(keys)))})" for _ in range(2)]
        return f" GROUP BY GROUPING SETS (({listed}), {', '.join(sets)})"
    return f" GROUP BY {style} ({listed})"


def _aggregates(writer: Writer, scope: Scope) -> list[Leaf]:
    families = [writer.draw.pick(FAMILIES) for _ in range(2)]
    return [Leaf(_aggregate(writer, family, scope), family) for family in families]


def _aggregate(writer: Writer, family: Family, scope: Scope) -> str:
    text = writer.fill(writer.draw.pick(AGGREGATES[family]), scope, 2)
    if text.endswith(")") and not text.startswith("(") and writer.draw.chance(0.2):
        return f"{text} FILTER (WHERE {writer.predicate(scope, 1)})"
    return text


def _windowed(writer: Writer, text: str, scope: Scope, depth: int) -> Body:
    draw = writer.draw
    inner = Scope(scope.leaves, scope.outer, subqueries=False)
    order = f"ORDER BY {writer.total_order(inner)}"

    def item(family: Family) -> str:
        if draw.chance(0.6):
            return write_window(writer, family, inner, order)
        return writer.scalar(family, inner, 1)

    if draw.chance(0.25):
        kept = write_window(writer, "int", inner, order)
        return Body(f"{text} QUALIFY {kept} <= {draw.number(1, 4)}", inner, item)
    return Body(text, inner, item)
