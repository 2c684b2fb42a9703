"""What all nodes of a plan share, and the columns that their expressions read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

from sqlglot import exp

from sqlax.compiler.plan.schema import Schema


@dataclass(frozen=True, eq=False)
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
        """The node and everything below it, inputs first, each once however often it is read."""
        return iter(_unique(self, {}))

    def __post_init__(self) -> None:
        available = {name for child in self.inputs for name in child.schema.names}
        for expression in self.expressions():
            missing = columns_of(expression) - available
            assert not missing, f"{type(self).__name__} reads {missing} of {sorted(available)}"

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """A plan is a graph: a subplan that is read twice is hashed once."""
        return hash((type(self), *(getattr(self, field.name) for field in fields(self))))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or hash(self) != hash(other):
            return False
        names = (field.name for field in fields(self))
        return all(getattr(self, name) == getattr(other, name) for name in names)


def _unique(node: Node, seen: dict[int, Node]) -> tuple[Node, ...]:
    for child in node.inputs:
        if id(child) not in seen:
            _unique(child, seen)
    seen[id(node)] = node
    return tuple(seen.values())


OUTER = "outer"
"""Metadata of a column that names a field of the query around the one it stands in."""


def columns_of(expression: exp.Expr) -> set[str]:
    """Names of the input fields an expression reads."""
    return {c.name for c in _fields(expression) if OUTER not in c.meta}


def outer_columns_of(expression: exp.Expr) -> set[str]:
    """Names of the fields of enclosing queries that an expression reads: it is correlated."""
    return {c.name for c in _fields(expression) if OUTER in c.meta}


def _fields(expression: exp.Expr) -> Iterator[exp.Column]:
    return (c for c in expression.find_all(exp.Column) if not c.table)


def column(name: str) -> exp.Column:
    """A reference to an input field."""
    return exp.Column(this=exp.Identifier(this=name, quoted=True))
