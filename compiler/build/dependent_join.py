"""Outer values pushed through a join: into one side, or into both and matched."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.outer_values import Pusher, Values
from sqlax.compiler.build.pull_up import reads_free
from sqlax.compiler.build.tree import conjunction
from sqlax.compiler.plan.nodes import Join, JoinKey, JoinKind, Node, Project, column
from sqlax.compiler.plan.schema import Schema
from sqlax.errors import UnsupportedError


def push_join(self: Pusher, node: Join, values: Values) -> Node:
    """The join for each row of the values."""
    if node.kind is JoinKind.OTHER:
        raise UnsupportedError(f"a correlated {node.other} JOIN cannot be compiled yet")
    keys = tuple(
        JoinKey(values.inside(k.left), values.inside(k.right), k.null_safe) for k in node.keys
    )
    residual = None if node.residual is None else values.inside(node.residual)
    outside = [key.condition() for key in keys if _reads_values(key.right, values)]
    keys = tuple(key for key in keys if not _reads_values(key.right, values))
    residual = conjunction([*outside, *([residual] if residual is not None else [])])
    own = Schema(tuple(f for f in node.schema.fields if f.name not in _sides(node)))
    left = self.push(node.left, values)
    if not reads_free(node.right, self.free) and node.kind is not JoinKind.FULL:
        schema = left.schema + (node.right.schema if _has_right(node) else Schema(())) + own
        return replace(node, schema=schema, left=left, keys=keys, residual=residual)
    return _within_values(self, node, values, left, keys, residual, own)


def _within_values(
    self: Pusher,
    node: Join,
    values: Values,
    left: Node,
    keys: tuple[JoinKey, ...],
    residual: exp.Expr | None,
    own: Schema,
) -> Node:
    """Both sides for each row of the values, and rows joined only within one row of them."""
    other = self.again(values)
    right = self.push(node.right, other)
    same = tuple(
        JoinKey(column(values.names[name]), column(other.names[name]), null_safe=True)
        for name in values.names
    )
    schema = left.schema + (right.schema if _has_right(node) else Schema(())) + own
    joined = replace(
        node, schema=schema, left=left, right=right, keys=same + keys, residual=residual
    )
    if node.kind is not JoinKind.FULL:
        return joined
    return _from_either(node, joined, values, other)


def _from_either(node: Join, joined: Node, values: Values, other: Values) -> Node:
    """A row of a FULL join may have its values from one side only."""
    merged = tuple(
        exp.Coalesce(this=column(values.names[name]), expressions=[column(other.names[name])])
        for name in values.names
    )
    kept = tuple(column(name) for name in node.schema.names)
    return Project(node.schema + values.plan.schema, joined, kept + merged)


def _reads_values(expression: exp.Expr, values: Values) -> bool:
    held = set(values.plan.schema.names)
    return any(c.name in held for c in expression.find_all(exp.Column))


def _sides(node: Join) -> set[str]:
    return {*node.left.schema.names, *node.right.schema.names}


def _has_right(node: Join) -> bool:
    return node.kind not in (JoinKind.SEMI, JoinKind.ANTI, JoinKind.MARK)
