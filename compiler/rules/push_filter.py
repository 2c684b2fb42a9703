"""Conditions that need no model go below the operators that call one."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.tree import conjunction, conjuncts, rewrite
from sqlax.compiler.plan.nodes import (
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Score,
    Unnest,
    columns_of,
)


def push_filter(node: Node) -> Node | None:
    """Move the conjuncts of a filter below a Score, UNNEST, a projection or a join that lets them.

    Before: ``SELECT * FROM (SELECT *, AI_IF(x) AS p FROM t) WHERE g > 3``.
    After: ``SELECT *, AI_IF(x) AS p FROM (SELECT * FROM t WHERE g > 3)``.
    """
    if not isinstance(node, Filter):
        return None
    if isinstance(node.input, Score | Unnest):
        return _below_row_wise(node, node.input)
    if isinstance(node.input, Project):
        return _below_project(node, node.input)
    if isinstance(node.input, Join) and node.input.kind not in (JoinKind.FULL, JoinKind.OTHER):
        return _below_join(node, node.input)
    return None


def _filtered(node: Node, operands: list[exp.Expr]) -> Node:
    predicate = conjunction(operands)
    return node if predicate is None else Filter(node.schema, node, predicate)


def _below_row_wise(node: Filter, operator: Score | Unnest) -> Node | None:
    below, above = _divide(node, set(operator.input.schema.names))
    if not below:
        return None
    return _filtered(operator.with_inputs((_filtered(operator.input, below),)), above)


def _divide(node: Filter, available: set[str]) -> tuple[list[exp.Expr], list[exp.Expr]]:
    """Conjuncts that read only `available` columns, and the others."""
    below: list[exp.Expr] = []
    above: list[exp.Expr] = []
    for operand in conjuncts(node.predicate):
        (below if columns_of(operand) <= available else above).append(operand)
    return below, above


def _below_project(node: Filter, project: Project) -> Node | None:
    """Only over columns that are passed on, so that nothing is computed twice."""
    passed = {f.name: v for f, v in project.items() if isinstance(v, exp.Column)}
    below, above = _divide(node, set(passed))
    if not below:
        return None
    renamed = [
        rewrite(operand, lambda n: passed[n.name].copy() if _is_field(n) else None)
        for operand in below
    ]
    return _filtered(project.with_inputs((_filtered(project.input, renamed),)), above)


def _is_field(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and not node.table


def _below_join(node: Filter, join: Join) -> Node | None:
    left, rest = _divide(node, set(join.left.schema.names))
    right: list[exp.Expr] = []
    if join.kind is JoinKind.INNER:
        right, rest = _divide(
            Filter(node.schema, join, node.predicate), set(join.right.schema.names)
        )
        rest = [operand for operand in rest if operand not in left]
    if not left and not right:
        return None
    sides = (_filtered(join.left, left), _filtered(join.right, right))
    return _filtered(join.with_inputs(sides), rest)
