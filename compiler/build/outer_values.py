"""The distinct values of a subquery's outer columns, and how they are pushed through its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.pull_up import reads_free
from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.plan.nodes import OUTER, Distinct, Join, JoinKind, Node, Project, column
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import UnsupportedError


@dataclass(frozen=True)
class Values:
    """The distinct outer values: a relation, and its column for each outer field."""

    plan: Node
    names: dict[str, str]

    @property
    def columns(self) -> tuple[exp.Expr, ...]:
        """The relation's columns."""
        return tuple(column(name) for name in self.plan.schema.names)

    def inside(self, expression: exp.Expr) -> exp.Expr:
        """The expression reading the values instead of the outer fields."""

        def visit(node: exp.Expr) -> exp.Expr | None:
            is_free = isinstance(node, exp.Column) and OUTER in node.meta
            return column(self.names[node.name]) if is_free and node.name in self.names else None

        return rewrite(expression, visit)


def distinct_values(plan: Node, local: dict[str, exp.Expr], context: Context) -> Values:
    """The distinct values in `plan` of the fields `local`, given as expressions over it."""
    types = context.types(local.values(), plan)
    names = {name: context.fresh("outer") for name in local}
    schema = Schema(tuple(Field(n, t) for n, t in zip(names.values(), types, strict=True)))
    return Values(Distinct(schema, Project(schema, plan, tuple(local.values()))), names)


@dataclass(frozen=True)
class Pusher:
    """Pushes outer values through a subquery: each result has their columns beside its own."""

    context: Context
    free: set[str]
    cases: Mapping[type[Node], Callable[[Pusher, Any, Values], Node]]

    def push(self, node: Node, values: Values) -> Node:
        """The node's rows for each row of the values."""
        if not reads_free(node, self.free):
            schema = node.schema + values.plan.schema
            return Join(schema, node, values.plan, JoinKind.INNER)
        case = self.cases.get(type(node))
        if case is None:
            name = type(node).__name__.upper()
            text = f"{name} that reads a column of the query around it cannot be compiled yet"
            raise UnsupportedError(text, self.context.sql)
        return case(self, node, values)

    def again(self, values: Values) -> Values:
        """The same values under other names, for the other side of a join."""
        names = {name: self.context.fresh("outer") for name in values.names}
        types = (field.type for field in values.plan.schema.fields)
        schema = Schema(tuple(Field(n, t) for n, t in zip(names.values(), types, strict=True)))
        return Values(Project(schema, values.plan, values.columns), names)
