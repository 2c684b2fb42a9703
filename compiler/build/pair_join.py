"""Outer, SEMI and ANTI joins whose condition asks a model or a subquery about a pair of rows.

The pairs that match are found by an inner join of the numbered sides; the join is then one on the
numbers. SQL before: ``t LEFT JOIN u ON AI_IF((t.x, u.y))``. After: ``t LEFT JOIN (SELECT t.number,
u.* FROM t, u WHERE AI_IF((t.x, u.y))) p ON t.number = p.number``.
"""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.attach import where
from sqlax.compiler.build.conditions import join
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent import row_number
from sqlax.compiler.build.tree import has_subquery, typed_null
from sqlax.compiler.plan.nodes import (
    Join,
    JoinKey,
    JoinKind,
    Node,
    Project,
    Union,
    Window,
    column,
)
from sqlax.compiler.plan.schema import Field, Schema


def pair_join(
    left: Node, right: Node, kind: JoinKind, conditions: list[exp.Expr], context: Context
) -> Node:
    """The join of kind LEFT, FULL, SEMI or ANTI, with the columns of its sides.

    Args:
        left: the side whose rows a LEFT, SEMI or ANTI join keeps.
        right: the other side.
        kind: the kind.
        conditions: the conjuncts of ON.
        context: the query's context.
    """
    left, left_number = _numbered(left, context)
    right, right_number = _numbered(right, context)
    pairs = join(left, right, JoinKind.INNER, [], left.schema + right.schema)
    for condition in sorted(conditions, key=has_subquery):
        pairs = where(pairs, condition, context)
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return _matched(left, left_number, pairs, kind, context)
    joined = _with_pairs(left, left_number, right, pairs, context)
    if kind is JoinKind.LEFT:
        return joined
    alone = _matched(right, right_number, pairs, JoinKind.ANTI, context)
    nulls = tuple(typed_null(field.type) for field in left.schema.fields)
    columns = tuple(column(name) for name in right.schema.names)
    return Union(joined.schema, joined, _renamed_below(joined, alone, nulls + columns, context))


def _numbered(node: Node, context: Context) -> tuple[Node, str]:
    name = context.fresh("number")
    schema = node.schema + Schema((Field(name, "BIGINT"),))
    return Window(schema, node, (row_number((), ()),)), name


def _matched(node: Node, number: str, pairs: Node, kind: JoinKind, context: Context) -> Node:
    """The rows of a side that are in some pair, or in none."""
    name = context.fresh("number")
    numbers = Project(Schema((Field(name, "BIGINT"),)), pairs, (column(number),))
    return Join(node.schema, node, numbers, kind, (JoinKey(column(number), column(name)),))


def _with_pairs(left: Node, number: str, right: Node, pairs: Node, context: Context) -> Node:
    """Each left row with the right rows of its pairs, or with NULLs."""
    name = context.fresh("number")
    schema = Schema((Field(name, "BIGINT"), *right.schema.fields))
    values = (column(number), *(column(held) for held in right.schema.names))
    found = Project(schema, pairs, values)
    key = JoinKey(column(number), column(name))
    joined = Join(left.schema + schema, left, found, JoinKind.LEFT, (key,))
    names = (*left.schema.names, *right.schema.names)
    return Project(left.schema + right.schema, joined, tuple(column(n) for n in names))


def _renamed_below(
    above: Node, alone: Node, values: tuple[exp.Expr, ...], context: Context
) -> Node:
    fields = tuple(f.named(context.fresh("side")) for f in above.schema.fields)
    return Project(Schema(fields), alone, values)
