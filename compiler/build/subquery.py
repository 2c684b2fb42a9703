"""Subqueries of expressions: each is planned and stands in its expression as one marked node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum, auto

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.build.tree import subquery_node
from sqlax.compiler.plan.nodes import OUTER, Node, Project, column, outer_columns_of
from sqlax.compiler.plan.schema import Schema
from sqlax.errors import BindError, UnsupportedError

BuildQuery = Callable[[exp.Query, Context], Node]
Resolve = Callable[[exp.Expr], exp.Expr]


class SubqueryKind(StrEnum):
    """What a subquery is to its expression."""

    EXISTS = auto()
    SCALAR = auto()
    ANY = auto()


@dataclass(frozen=True)
class Subquery:
    """A planned subquery.

    Attributes:
        plan: its rows, with columns of fresh names.
        kind: how its rows become one value.
        operator: of ANY, the comparison of the operands with its columns.
        operands: how many operands its node has.
        free: the fields of enclosing queries that it reads, in the order of its node's arguments.
    """

    plan: Node
    kind: SubqueryKind
    operator: type[exp.Binary] | None
    operands: int
    free: tuple[str, ...]


def bind_subquery(
    node: exp.Expr, scope: Scope, context: Context, build: BuildQuery, resolve: Resolve
) -> exp.Expr | None:
    """The marked node for an expression that is a subquery; None for any other.

    Raises:
        UnsupportedError: a form of subquery without a plan, such as ARRAY(SELECT ...).
        BindError: IN with another number of columns than operands.
    """
    if isinstance(node, exp.Array) and any(isinstance(e, exp.Query) for e in node.expressions):
        raise UnsupportedError("ARRAY of a subquery cannot be compiled yet", context.sql)
    if isinstance(node, exp.Exists) and isinstance(node.this, exp.Query):
        return _mark(node.this, SubqueryKind.EXISTS, None, [], scope, context, build)
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        operands = [resolve(operand) for operand in _row(node.this)]
        query = node.args["query"].unnest()
        return _mark(query, SubqueryKind.ANY, exp.EQ, operands, scope, context, build)
    if isinstance(node, exp.Binary) and isinstance(node.expression, exp.Any | exp.All):
        return _quantified(node, scope, context, build, resolve)
    if isinstance(node, exp.Query):
        query = node.unnest()
        assert isinstance(query, exp.Query), "brackets around a query hold a query"
        return _mark(query, SubqueryKind.SCALAR, None, [], scope, context, build)
    return None


def _row(node: exp.Expr) -> list[exp.Expr]:
    """The values of `(a, b)`; one for anything else."""
    node = node.unnest()
    return list(node.expressions) if isinstance(node, exp.Tuple) else [node]


_OPPOSITE: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.GTE,
    exp.LTE: exp.GT,
    exp.GT: exp.LTE,
    exp.GTE: exp.LT,
}


def _quantified(
    node: exp.Binary, scope: Scope, context: Context, build: BuildQuery, resolve: Resolve
) -> exp.Expr | None:
    """`x < ANY (...)`; `x < ALL (...)` is `NOT (x >= ANY (...))`."""
    query = node.expression.this.unnest()
    if not isinstance(query, exp.Query) or type(node) not in _OPPOSITE:
        return None
    is_all = isinstance(node.expression, exp.All)
    operator = _OPPOSITE[type(node)] if is_all else type(node)
    operands = [resolve(operand) for operand in _row(node.this)]
    found = _mark(query, SubqueryKind.ANY, operator, operands, scope, context, build)
    return exp.Not(this=found) if is_all else found


def _mark(
    query: exp.Query,
    kind: SubqueryKind,
    operator: type[exp.Binary] | None,
    operands: list[exp.Expr],
    scope: Scope,
    context: Context,
    build: BuildQuery,
) -> exp.Expr:
    plan = renamed(build(query, context.inside(scope)), context)
    width = len(plan.schema.names)
    if kind is not SubqueryKind.EXISTS and width != max(1, len(operands)):
        text = f"a subquery of {max(1, len(operands))} column(s) is needed, this one has {width}"
        raise BindError(text, context.sql)
    free = free_columns(plan)
    key = f"q{len(context.subqueries)}"
    context.subqueries[key] = Subquery(plan, kind, operator, len(operands), free)
    return subquery_node(key, [*operands, *(_argument(name, scope) for name in free)])


def _argument(name: str, scope: Scope) -> exp.Expr:
    """The outer column as the expression around the subquery sees it."""
    found = column(name)
    if not scope.owns(name):
        found.meta[OUTER] = True
    return found


def free_columns(plan: Node) -> tuple[str, ...]:
    """The fields of enclosing queries that a plan reads."""
    expressions = (e for node in plan.walk() for e in node.expressions())
    return tuple(sorted({name for e in expressions for name in outer_columns_of(e)}))


def renamed(plan: Node, context: Context) -> Node:
    """The plan with a fresh name for each column."""
    fields = tuple(f.named(context.fresh("sub")) for f in plan.schema.fields)
    return Project(Schema(fields), plan, tuple(column(name) for name in plan.schema.names))
