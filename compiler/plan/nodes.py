"""The nodes of a plan. Expressions are sqlglot trees whose columns name fields of the input.

A node knows its schema at birth and checks that every column it reads exists below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum, auto
from typing import Any, Self

from sqlglot import exp

from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.sql.call import SemanticCall


@dataclass(frozen=True)
class Node:
    """A step of a plan: reads its inputs, yields rows of `schema`."""

    schema: Schema

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes read, left to right."""
        values = (getattr(self, field.name) for field in fields(self))
        return tuple(value for value in values if isinstance(value, Node))

    def with_inputs(self, inputs: tuple[Node, ...]) -> Self:
        """The same step over other inputs, given in the order of `inputs`."""
        names = [f.name for f in fields(self) if isinstance(getattr(self, f.name), Node)]
        changed: dict[str, Any] = dict(zip(names, inputs, strict=True))
        return replace(self, **changed)

    def expressions(self) -> Iterator[exp.Expr]:
        """Every expression of the node itself."""
        return iter(())

    def walk(self) -> Iterator[Node]:
        """The node and everything below it, inputs first."""
        for child in self.inputs:
            yield from child.walk()
        yield self

    def __post_init__(self) -> None:
        available = {name for child in self.inputs for name in child.schema.names}
        for expression in self.expressions():
            missing = columns_of(expression) - available
            assert not missing, f"{type(self).__name__} reads {missing} of {sorted(available)}"


@dataclass(frozen=True)
class Scan(Node):
    """Rows that DuckDB produces: `SELECT ... ` with exactly the columns of the schema."""

    sql: str


@dataclass(frozen=True)
class Filter(Node):
    """The rows for which the predicate is TRUE."""

    input: Node
    predicate: exp.Expr

    def expressions(self) -> Iterator[exp.Expr]:
        """The predicate."""
        yield self.predicate


@dataclass(frozen=True)
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


@dataclass(frozen=True)
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


class JoinKind(StrEnum):
    """The joins the graph knows."""

    INNER = auto()
    LEFT = auto()
    CROSS = auto()
    OTHER = auto()


@dataclass(frozen=True)
class Join(Node):
    """Equi-join on pairs of expressions, one over each input; `condition` is all of ON."""

    left: Node
    right: Node
    kind: JoinKind
    keys: tuple[tuple[exp.Expr, exp.Expr], ...]
    condition: exp.Expr | None
    sql_kind: str

    def expressions(self) -> Iterator[exp.Expr]:
        """The whole condition."""
        if self.condition is not None:
            yield self.condition


@dataclass(frozen=True)
class Aggregate(Node):
    """GROUP BY: key columns, then one column per aggregate call (an AggFunc or a Filter of one)."""

    input: Node
    keys: tuple[exp.Expr, ...]
    calls: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """Keys, then aggregate calls."""
        yield from self.keys
        yield from self.calls


@dataclass(frozen=True)
class Window(Node):
    """The input's rows with one more column per window call."""

    input: Node
    calls: tuple[exp.Expr, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The window calls."""
        yield from self.calls


@dataclass(frozen=True)
class Distinct(Node):
    """DISTINCT over all columns."""

    input: Node


@dataclass(frozen=True)
class SortItem:
    """A key of ORDER BY."""

    value: exp.Expr
    descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Sort(Node):
    """ORDER BY."""

    input: Node
    keys: tuple[SortItem, ...]

    def expressions(self) -> Iterator[exp.Expr]:
        """The key expressions."""
        for key in self.keys:
            yield key.value


@dataclass(frozen=True)
class Limit(Node):
    """Rows `offset` to `offset + count` in row order; `count` None means all that follow."""

    input: Node
    count: int | None
    offset: int


OUTER = "outer"
"""Metadata of a column inside a subquery that names a field of the query around it."""


def columns_of(expression: exp.Expr) -> set[str]:
    """Names of the input fields an expression reads, also from inside a correlated subquery."""
    found = (c for c in expression.find_all(exp.Column) if not c.table)
    return {c.name for c in found if OUTER in c.meta or not _inside_query(c)}


def _inside_query(node: exp.Expr) -> bool:
    parent = node.parent
    while parent is not None:
        if isinstance(parent, exp.Query):
            return True
        parent = parent.parent
    return False


def column(name: str) -> exp.Column:
    """A reference to an input field."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))
