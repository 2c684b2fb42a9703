"""How many slots the rows and the texts of a run need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlax.compiler.lowering.columns import Tables
from sqlax.compiler.plan.nodes import Aggregate, Join, JoinKind, Node, Scan, Score, Union
from sqlax.compiler.query import QueryPlan
from sqlax.errors import CapacityError
from sqlax.runtime.relation import bucket

_MOST_ROWS = 1 << 30
"""Row numbers are int32."""


@dataclass(frozen=True)
class Capacities:
    """Capacities of one run.

    Attributes:
        plan: the query.
        tables: the rows of each scan.
        joins: output slots of joins that were found too small.
        texts: entries of the dictionary.
    """

    plan: QueryPlan
    tables: Tables
    joins: Mapping[Node, int]
    texts: int

    def scan(self, scan: Scan, least: int = 256) -> int:
        """Row slots of a scan.

        Raises:
            CapacityError: it has more rows than there are numbers for.
        """
        rows = len(self.tables[scan])
        if rows > _MOST_ROWS:
            raise CapacityError(f"{rows:,} rows reach the program at once; it takes {_MOST_ROWS:,}")
        return bucket(rows, least)

    def rows(self, node: Node, least: int = 256) -> int:
        """The most row slots that a node's relation can have; `least` slots for few rows."""
        if isinstance(node, Scan):
            return self.scan(node, least)
        if isinstance(node, Aggregate) and not node.keys:
            return 1
        sides = [self.rows(side, least) for side in node.inputs]
        if isinstance(node, Union) or (isinstance(node, Join) and node.kind is JoinKind.FULL):
            return max(sum(sides), self.joins.get(node, 0))
        if isinstance(node, Join) and node.kind in (JoinKind.INNER, JoinKind.LEFT):
            return max(self.joins.get(node, 0), *sides)
        return sides[0]

    @property
    def codes(self) -> int:
        """Slots for dictionary codes."""
        return bucket(self.texts)

    @property
    def ids(self) -> int:
        """Slots for text ids: dictionary codes, then written texts."""
        return self.codes + sum(map(self._written, self.plan.scores))

    def first_id(self, score: Score) -> int:
        """The text id of the first text that an operator writes."""
        before = self.plan.scores[: self.plan.scores.index(score)]
        return self.codes + sum(map(self._written, before))

    def _written(self, score: Score) -> int:
        """Text ids that an operator takes up."""
        return bucket(self.rows(score.input)) if score.call.generation is not None else 0
