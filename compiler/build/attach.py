"""Joining the subqueries of expressions to the plan that the expressions read."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.conditions import compared, join, never_null, wrapped
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent import with_outer_values
from sqlax.compiler.build.lift import lift
from sqlax.compiler.build.pull_up import Pulled, pull_up
from sqlax.compiler.build.scalar_aggregate import inlined_aggregate
from sqlax.compiler.build.subquery import Subquery, SubqueryKind
from sqlax.compiler.build.tree import (
    has_semantic,
    has_subquery,
    is_subquery,
    rewrite,
)
from sqlax.compiler.plan.nodes import (
    OUTER,
    Filter,
    JoinKind,
    Node,
    column,
    columns_of,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema


def settle(
    plan: Node, expressions: list[exp.Expr], context: Context
) -> tuple[Node, list[exp.Expr]]:
    """The plan with every subquery joined and every semantic call lifted, and the expressions.

    A subquery may stand in a prompt, and a semantic call may be the operand of a subquery: each
    is placed when what stands inside it is.
    """
    plan, expressions = attach_plain(plan, expressions, context)
    while any(map(has_subquery, expressions)):
        operands = [
            part for e in expressions for node in _ready(e) for part in node.expressions[1:]
        ]
        plan, lifted = lift(plan, operands, context.templates)
        expressions = _replaced(expressions, dict(zip(operands, lifted, strict=True)))
        plan, expressions = attach_plain(plan, expressions, context)
    return lift(plan, expressions, context.templates)


def attach_plain(
    plan: Node, expressions: list[exp.Expr], context: Context
) -> tuple[Node, list[exp.Expr]]:
    """Join the subqueries whose operands call no model, inner ones first."""
    while nodes := [n for e in expressions for n in _ready(e) if not has_semantic(n)]:
        values: dict[exp.Expr, exp.Expr] = {}
        for node in dict.fromkeys(nodes):
            plan, values[node] = attach(plan, node, context)
        expressions = _replaced(expressions, values)
    return plan, expressions


def _replaced(expressions: list[exp.Expr], values: dict[exp.Expr, exp.Expr]) -> list[exp.Expr]:
    def visit(node: exp.Expr) -> exp.Expr | None:
        return values[node].copy() if node in values else None

    return [rewrite(expression, visit) for expression in expressions]


def _ready(expression: exp.Expr) -> list[exp.Expr]:
    """The subqueries that hold no other."""
    nodes = (node for node in expression.walk() if is_subquery(node))
    return [n for n in nodes if not any(has_subquery(part) for part in n.expressions[1:])]


def where(plan: Node, condition: exp.Expr, context: Context) -> Node:
    """The rows for which a condition with subqueries holds; EXISTS and IN become SEMI joins."""
    inner, kind = condition.unnest(), JoinKind.SEMI
    if isinstance(inner, exp.Not):
        inner, kind = inner.this.unnest(), JoinKind.ANTI
    if is_subquery(inner) and _has_plain_arguments(inner):
        found = context.subqueries[inner.expressions[0].name]
        if found.kind is SubqueryKind.EXISTS or (
            found.kind is SubqueryKind.ANY and kind is JoinKind.SEMI
        ):
            return _joined(plan, inner, found, kind, context)[0]
    plan, (predicate,) = settle(plan, [condition], context)
    return Filter(plan.schema, plan, predicate)


def _has_plain_arguments(node: exp.Expr) -> bool:
    return not any(has_subquery(part) or has_semantic(part) for part in node.expressions[1:])


def attach(plan: Node, node: exp.Expr, context: Context) -> tuple[Node, exp.Expr]:
    """The plan joined with one subquery, and the expression that is the subquery's value.

    One that the plan is joined with already, as for ORDER BY, is not joined again.
    """
    known = context.attached.get(node)
    if known is not None and columns_of(known) <= set(plan.schema.names):
        return plan, known
    found = context.subqueries[node.expressions[0].name]
    if found.kind is SubqueryKind.SCALAR:
        plan, value = _scalar(plan, node, found, context)
    else:
        plan, value = _joined(plan, node, found, JoinKind.MARK, context)
    context.attached[node] = value
    return plan, value


def _joined(
    plan: Node, node: exp.Expr, found: Subquery, kind: JoinKind, context: Context
) -> tuple[Node, exp.Expr]:
    """A SEMI, ANTI or MARK join with the rows of an EXISTS or ANY subquery."""
    aware = kind is JoinKind.MARK and found.kind is SubqueryKind.ANY
    pulled = _correlated(plan, node, found, context)
    pulled = never_null(pulled) if aware else pulled
    operands = node.expressions[1 : 1 + found.operands]
    values = [column(name) for name in found.plan.schema.names]
    conditions = [*pulled.conditions]
    if found.operator is not None:
        conditions += compared(found.operator, operands, values)
    schema = plan.schema
    mark = context.fresh("mark")
    if kind is JoinKind.MARK:
        schema += Schema((Field(mark, "BOOLEAN"),))
    joined = join(plan, pulled.plan, kind, conditions, schema, null_aware=aware)
    return joined, column(mark) if kind is JoinKind.MARK else exp.true()


def _scalar(plan: Node, node: exp.Expr, found: Subquery, context: Context) -> tuple[Node, exp.Expr]:
    """A SINGLE join; a correlated aggregate is joined below what is computed from it."""
    local = _local_arguments(node, found)
    inlined = inlined_aggregate(found.plan, set(local), context) if local else None
    if inlined is not None:
        conditions = bound(inlined.pulled.conditions, local)
        right = inlined.pulled.plan
        schema = plan.schema + right.schema
        return join(plan, right, JoinKind.LEFT, conditions, schema), inlined.value
    pulled = _correlated(plan, node, found, context)
    schema = plan.schema + pulled.plan.schema
    joined = join(plan, pulled.plan, JoinKind.SINGLE, [*pulled.conditions], schema)
    return joined, column(found.plan.schema.names[0])


def _local_arguments(node: exp.Expr, found: Subquery) -> dict[str, exp.Expr]:
    """What the subquery reads of the plan it is joined to; columns from further out stay free."""
    given = zip(found.free, node.expressions[1 + found.operands :], strict=True)
    return {name: value for name, value in given if not outer_columns_of(value)}


def _correlated(plan: Node, node: exp.Expr, found: Subquery, context: Context) -> Pulled:
    """The subquery's rows and the conditions under which a row belongs to one of the plan."""
    local = _local_arguments(node, found)
    if not local:
        return Pulled(found.plan, ())
    loose = found.kind is not SubqueryKind.SCALAR
    pulled = pull_up(found.plan, set(local), any_row=loose)
    if pulled is not None:
        return Pulled(pulled.plan, tuple(bound(pulled.conditions, local)))
    return with_outer_values(found.plan, plan, local, context)


def bound(conditions: tuple[exp.Expr, ...], local: dict[str, exp.Expr]) -> list[exp.Expr]:
    """Conditions with the free columns replaced by what they are in the plan."""

    def visit(node: exp.Expr) -> exp.Expr | None:
        is_free = isinstance(node, exp.Column) and OUTER in node.meta and node.name in local
        return wrapped(local[node.name]) if is_free else None

    return [rewrite(condition, visit) for condition in conditions]
