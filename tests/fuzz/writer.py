"""The state of writing one random query, and the filling of templates."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tests.fuzz import subqueries
from tests.fuzz.draw import Draw
from tests.fuzz.families import FAMILIES, TYPES, Family, literal
from tests.fuzz.scope import Scope, Source
from tests.fuzz.tables import Table
from tests.fuzz.templates import PATTERNS, SCALARS, SEMANTIC

_HOLE = re.compile(r"\{(\w+)(?::(\d))?\}")
_MOST_SUBQUERIES = 3
_SUBQUERY = re.compile(r"\{(agg|row|in)_|\{exists\}")


class Writer:
    """Writes the parts of one query.

    Args:
        draw: decides everything.
        tables: what the query may read.
        semantic: whether it may ask the fake model.
    """

    def __init__(self, draw: Draw, tables: Sequence[Table], semantic: bool = False) -> None:
        self.draw = draw
        self.semantic = semantic
        self.tables = [_source(table) for table in tables]
        self.ctes: list[Source] = []
        self._aliases = 0
        self._subqueries = 0

    def alias(self) -> str:
        """A name that the query does not have yet."""
        self._aliases += 1
        return f"q{self._aliases}"

    def may_nest(self) -> bool:
        """Whether the query may have one more subquery; it counts as written."""
        self._subqueries += 1
        return self._subqueries <= _MOST_SUBQUERIES

    def scalar(self, family: Family, scope: Scope, depth: int) -> str:
        """An expression of a family."""
        if depth <= 0 or self.draw.chance(0.35):
            return self._simple(family, scope)
        if self.semantic and family in SEMANTIC and self.draw.chance(0.25):
            return self.fill(self.draw.pick(SEMANTIC[family]), scope, depth)
        return self.fill(self._template(family, scope), scope, depth)

    def predicate(self, scope: Scope, depth: int = 2) -> str:
        """A condition that is no lone column or constant."""
        if self.semantic and self.draw.chance(0.4):
            return self.fill(self.draw.pick(SEMANTIC["bool"]), scope, depth)
        return self.fill(self._template("bool", scope), scope, depth)

    def _template(self, family: Family, scope: Scope) -> str:
        """A form of the family's expressions; with a subquery only where one may stand."""
        chosen = self.draw.pick(SCALARS[family])
        while _SUBQUERY.search(chosen) and not (scope.subqueries and self.may_nest()):
            chosen = self.draw.pick(SCALARS[family])
        return chosen

    def fill(self, template: str, scope: Scope, depth: int) -> str:
        """The template with an expression in each hole."""
        families: dict[str, Family] = {}

        def hole(found: re.Match[str]) -> str:
            name, number = found.group(1), found.group(2)
            if "any" in name:
                same = families.setdefault(number or str(found.start()), self.draw.pick(FAMILIES))
                name = name.replace("any", same)
            return self._hole(name, scope, depth - 1)

        return _HOLE.sub(hole, template)

    def _hole(self, name: str, scope: Scope, depth: int) -> str:
        kind, _, rest = name.rpartition("_")
        family = next((f for f in FAMILIES if f == rest), None)
        if kind == "lit" and family is not None:
            return literal(self.draw, family)
        if kind in ("agg", "row", "in") or name == "exists":
            return subqueries.write(self, kind or name, family or "int", scope, depth)
        return self._special(name, scope) if family is None else self.scalar(family, scope, depth)

    def _special(self, name: str, scope: Scope) -> str:
        if name == "n":
            return str(self.draw.number(0, 3))
        if name == "pattern":
            return self.draw.pick(PATTERNS)
        if name == "judged":
            return scope.judged(self.draw) or "'good'"
        if name == "strings":
            text = scope.leaf(self.draw, "text") or "lower('A')"
            return f"{text}, ',' ORDER BY {text}"
        assert name == "all", f"a template has an unknown hole {name}"
        return self.total_order(scope)

    def _simple(self, family: Family, scope: Scope) -> str:
        leaf = None if self.draw.chance(0.15) else scope.leaf(self.draw, family)
        return leaf or literal(self.draw, family)

    def order(self, item: str) -> str:
        """A sort key with a direction."""
        direction = self.draw.pick(("", " DESC", " ASC", " DESC NULLS LAST", " NULLS FIRST"))
        return f"{item}{direction}"

    def total_order(self, scope: Scope) -> str:
        """Sort keys that leave only equal rows as peers."""
        keys = [self.order(leaf.sql) for leaf in scope.leaves]
        return ", ".join(keys) or "1"


def _source(table: Table) -> Source:
    columns = tuple((c.name, TYPES[c.type], c.name == "x") for c in table.columns)
    return Source(table.name, columns, len(table.rows))
