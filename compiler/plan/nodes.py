"""The nodes of a plan. Expressions are sqlglot trees whose columns name fields of the input.

A node knows its schema at birth and checks that every column it reads exists below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.plan.join import KEEPS_LEFT_ONLY, JoinKey, JoinKind
from sqlax.compiler.plan.node import OUTER, Node, column, columns_of, outer_columns_of
from sqlax.compiler.plan.schema import Field
from sqlax.compiler.sql.call import SemanticCall

__all__ = [
    "KEEPS_LEFT_ONLY",
    "OUTER",
    "Aggregate",
    "Distinct",
    "Filter",
    "Join",
    "JoinKey",
    "JoinKind",
    "Limit",
    "Node",
    "Project",
    "Scan",
    "Score",
    "Sort",
    "SortItem",
    "Stored",
    "Union",
    "Unnest",
    "Window",
    "column",
    "columns_of",
    "outer_columns_of",
]


@dataclass(frozen=True, eq=False)
class Scan(Node):
    """Rows that DuckDB produces: `SELECT ... ` with exactly the columns of the schema.

    Attributes:
        sql: the text.
        rows: how many rows DuckDB expects; None where it was not asked.
    """

    sql: str
    rows: int | None = None


@dataclass(frozen=True, eq=False)
class Stored(Scan):
    """A scan of the rows that an earlier stage of the query has stored under a name."""

    stage: str = ""


@dataclass(frozen=True, eq=False)
class Filter(Node):
    """The rows for which the predicate is TRUE."""

    input: Node
    predicate: exp.Expr

    def expressions(self) -> Iterator[exp.Expr]:
        """The predicate."""
        yield self.predicate


@dataclass(frozen=True, eq=False)
class Project(Node):
    """One expression per output column, in the order of the schema."""

    input: Node
    values: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The output expressions."""
        yield from self.values

    def items(self) -> Iterator[tuple[Field, exp.Expr]]:
        """Output fields with their expressions."""
        return zip(self.schema.fields, self.values, strict=True)


@dataclass(frozen=True, eq=False)
class Score(Node):
    """A semantic call as an operator: the input's rows with the answer as one more column.

    Attributes:
        call: the call; its prompt reads columns of the input.
        name: the answer's column; its error text stands in the column `name + "!"`.
        guard: rows for which the answer is wanted; others get NULL without a model call.
    """

    input: Node
    call: SemanticCall
    name: str
    guard: exp.Expr | None

    def expressions(self) -> Iterator[exp.Expr]:
        """The prompt's values and the guard."""
        yield from self.call.values
        if self.guard is not None:
            yield self.guard


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Pairs of rows for which all keys and the residual hold.

    The schema is that of both sides; of SEMI and ANTI that of the left side; of MARK the left
    side's and one BOOLEAN. A mark is TRUE where a pair's condition is; with `null_aware`, as for
    IN, it is else NULL where one is NULL; else FALSE.

    Attributes:
        keys: equalities.
        residual: what else must hold, over columns of both sides.
        null_aware: whether a mark can be NULL.
        other: the words before JOIN of an OTHER join.
    """

    left: Node
    right: Node
    kind: JoinKind
    keys: tuple[JoinKey, ...] = ()
    residual: exp.Expr | None = None
    null_aware: bool = False
    other: str = ""

    def expressions(self) -> Iterator[exp.Expr]:
        """Keys, left then right, and the residual."""
        for key in self.keys:
            yield key.left
            yield key.right
        if self.residual is not None:
            yield self.residual

    def condition(self) -> exp.Expr | None:
        """Keys and residual as one expression; None for a cross product."""
        parts = [key.condition() for key in self.keys]
        parts += [self.residual.copy()] if self.residual is not None else []
        return exp.and_(*parts) if parts else None

    def __post_init__(self) -> None:
        super().__post_init__()
        sides = (
            ((key.left, self.left) for key in self.keys),
            ((k.right, self.right) for k in self.keys),
        )
        for value, side in (pair for both in sides for pair in both):
            assert columns_of(value) <= set(side.schema.names), f"key {value} reads the other side"


@dataclass(frozen=True, eq=False)
class Union(Node):
    """UNION ALL: the left rows, then the right ones, column by column in their order."""

    left: Node
    right: Node

    def __post_init__(self) -> None:
        types = [tuple(f.type for f in n.schema.fields) for n in (self, self.left, self.right)]
        assert types[0] == types[1] == types[2], f"UNION of {types[1]} and {types[2]}"


@dataclass(frozen=True, eq=False)
class Aggregate(Node):
    """GROUP BY: key columns, then one column per aggregate call (an AggFunc or a Filter of one)."""

    input: Node
    keys: tuple[exp.Expr, ...]
    calls: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """Keys, then aggregate calls."""
        yield from self.keys
        yield from self.calls


@dataclass(frozen=True, eq=False)
class Window(Node):
    """The input's rows with one more column per window call."""

    input: Node
    calls: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The window calls."""
        yield from self.calls


@dataclass(frozen=True, eq=False)
class Unnest(Node):
    """The input's rows, each once for every element of its lists, with one more column a list.

    Attributes:
        calls: UNNEST of lists; shorter ones end with NULL. DuckDB runs them.
    """

    input: Node
    calls: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The calls."""
        yield from self.calls


@dataclass(frozen=True, eq=False)
class Distinct(Node):
    """DISTINCT over all columns."""

    input: Node


@dataclass(frozen=True)
class SortItem:
    """A key of ORDER BY."""

    value: exp.Expr
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, eq=False)
class Sort(Node):
    """ORDER BY."""

    input: Node
    keys: tuple[SortItem, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The key expressions."""
        for key in self.keys:
            yield key.value


@dataclass(frozen=True, eq=False)
class Limit(Node):
    """Rows `offset` to `offset + count` in row order; `count` None means all that follow."""

    input: Node
    count: int | None
    offset: int
