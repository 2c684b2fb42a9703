"""What a random expression may read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.fuzz.draw import Draw
from tests.fuzz.families import Family


@dataclass(frozen=True)
class Leaf:
    """An expression that needs no other: a column, or above GROUP BY a key or an aggregate.

    Attributes:
        sql: its text.
        family: its type.
        judged: whether its texts are made for the fake model.
    """

    sql: str
    family: Family
    judged: bool = False


@dataclass(frozen=True)
class Source:
    """A table, a CTE or a subquery: its column names with their families.

    Attributes:
        sql: its name, or a query in brackets.
        columns: name, family and whether the fake model judges it, of each column.
        rows: about how many rows it has.
    """

    sql: str
    columns: tuple[tuple[str, Family, bool], ...]
    rows: float

    def leaves(self, alias: str) -> list[Leaf]:
        """Its columns under an alias."""
        return [Leaf(f"{alias}.{name}", family, judged) for name, family, judged in self.columns]


@dataclass(frozen=True)
class Scope:
    """What is visible at one place of a query.

    Attributes:
        leaves: of this SELECT.
        outer: of the queries around it.
        subqueries: whether a subquery may stand here.
    """

    leaves: Sequence[Leaf]
    outer: Sequence[Leaf] = field(default=())
    subqueries: bool = True

    def leaf(self, draw: Draw, family: Family) -> str | None:
        """A leaf of the family; None where there is none."""
        own = [leaf.sql for leaf in self.leaves if leaf.family == family]
        outer = [leaf.sql for leaf in self.outer if leaf.family == family]
        if outer and (draw.chance(0.3) or not own):
            return draw.pick(outer)
        return draw.pick(own) if own else None

    def judged(self, draw: Draw) -> str | None:
        """A text that the fake model may judge."""
        found = [leaf.sql for leaf in (*self.leaves, *self.outer) if leaf.judged]
        return draw.pick(found) if found else None
