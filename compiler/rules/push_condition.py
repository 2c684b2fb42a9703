"""Conditions of a join that read one side only are evaluated on that side."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.tree import conjunction, conjuncts
from sqlax.compiler.plan.nodes import Filter, Join, JoinKind, Node, columns_of

_RIGHT = (JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI, JoinKind.SINGLE)
_LEFT = (JoinKind.SEMI,)


def push_condition(node: Node) -> Node | None:
    """Filter a side of a join before it is joined.

    Before: ``SELECT * FROM t LEFT JOIN u ON t.k = u.k AND u.w > 1``.
    After: ``SELECT * FROM t LEFT JOIN (SELECT * FROM u WHERE u.w > 1) u ON t.k = u.k``.
    """
    if not isinstance(node, Join) or node.residual is None:
        return None
    rest = conjuncts(node.residual)
    right = [p for p in rest if _may_move(node, _RIGHT) and _reads_only(p, node.right)]
    left = [p for p in rest if p not in right and node.kind in _LEFT and _reads_only(p, node.left)]
    if not right and not left:
        return None
    residual = conjunction([p for p in rest if p not in right and p not in left])
    sides = (_filtered(node.left, left), _filtered(node.right, right))
    return replace(node.with_inputs(sides), residual=residual)


def _may_move(node: Join, kinds: tuple[JoinKind, ...]) -> bool:
    """A mark that may be NULL is not what the same mark over fewer rows is."""
    return node.kind in kinds or (node.kind is JoinKind.MARK and not node.null_aware)


def _reads_only(expression: exp.Expr, side: Node) -> bool:
    reads = columns_of(expression)
    return bool(reads) and reads <= set(side.schema.names)


def _filtered(node: Node, operands: list[exp.Expr]) -> Node:
    predicate = conjunction(operands)
    return node if predicate is None else Filter(node.schema, node, predicate)
