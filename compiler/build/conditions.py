"""The conditions of a join: keys and the rest, comparisons of rows, and what may be NULL."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.pull_up import Pulled
from sqlax.compiler.build.tree import conjunction, conjuncts
from sqlax.compiler.plan.nodes import (
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Node,
    columns_of,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Schema


def never_null(pulled: Pulled) -> Pulled:
    """The same rows and conditions that are FALSE where they were NULL.

    Only the comparison of IN may make a mark NULL: a row whose WHERE is NULL is not in the set.
    """
    plan = pulled.plan
    conditions: list[exp.Expr] = []
    for condition in (part for whole in pulled.conditions for part in conjuncts(whole)):
        inner = _inner_side(condition, plan)
        if inner is None:
            conditions.append(exp.Coalesce(this=condition.copy(), expressions=[exp.false()]))
            continue
        known = exp.Not(this=exp.Is(this=wrapped(inner), expression=exp.Null()))
        plan = Filter(plan.schema, plan, known)
        parts = condition.unnest()
        conditions.append(exp.NullSafeEQ(this=parts.this, expression=parts.expression))
    return Pulled(plan, tuple(conditions))


def _inner_side(condition: exp.Expr, plan: Node) -> exp.Expr | None:
    """The side of an equality that reads the subquery; None for any other condition."""
    condition = condition.unnest()
    if not isinstance(condition, exp.EQ):
        return None
    names = set(plan.schema.names)
    sides: tuple[exp.Expr, exp.Expr] = (condition.this, condition.expression)
    for inner, outer in (sides, sides[::-1]):
        reads = columns_of(inner)
        if reads and reads <= names and not columns_of(outer) & names:
            return inner
    return None


def compared(
    operator: type[exp.Binary], operands: list[exp.Expr], values: list[exp.Column]
) -> list[exp.Expr]:
    """The comparison of a row with a row; all pairs must be equal, or one must differ."""
    pairs = zip(operands, values, strict=True)
    parts: list[exp.Expr] = [operator(this=wrapped(a), expression=b.copy()) for a, b in pairs]
    if operator is exp.NEQ and len(parts) > 1:
        return [exp.or_(*parts)]
    return parts


def wrapped(node: exp.Expr) -> exp.Expr:
    """A copy of the node that may stand as an operand."""
    simple = isinstance(node, exp.Column | exp.Literal | exp.Paren | exp.Func)
    return node.copy() if simple else exp.paren(node, copy=True)


def join(
    left: Node,
    right: Node,
    kind: JoinKind,
    conditions: list[exp.Expr],
    schema: Schema,
    *,
    null_aware: bool = False,
    other: str = "",
) -> Node:
    """A join with its conditions divided into keys and the rest, which INNER has above it."""
    keys: list[JoinKey] = []
    rest: list[exp.Expr] = []
    for condition in (part for whole in conditions for part in conjuncts(whole)):
        key = key_of(condition, set(left.schema.names), set(right.schema.names))
        if key is None:
            rest.append(condition)
        else:
            keys.append(key)
    residual = conjunction(rest)
    if kind is JoinKind.INNER and residual is not None:
        return Filter(schema, Join(schema, left, right, kind, tuple(keys)), residual)
    return Join(schema, left, right, kind, tuple(keys), residual, null_aware, other)


def key_of(condition: exp.Expr, left: set[str], right: set[str]) -> JoinKey | None:
    """The key that an equality between the sides is."""
    condition = condition.unnest()
    if not isinstance(condition, exp.EQ | exp.NullSafeEQ) or outer_columns_of(condition):
        return None
    safe = isinstance(condition, exp.NullSafeEQ)
    a, b = condition.this, condition.expression
    reads_a, reads_b = columns_of(a), columns_of(b)
    if not reads_a or not reads_b:
        return None
    if reads_a <= left and reads_b <= right:
        return JoinKey(a, b, safe)
    return JoinKey(b, a, safe) if reads_b <= left and reads_a <= right else None
