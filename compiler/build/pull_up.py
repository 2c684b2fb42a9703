"""Correlated conditions pulled out of a subquery, into the join that replaces it.

SQL before: ``EXISTS (SELECT * FROM u WHERE u.k = t.k AND u.x > 1)``. After: the rows of
``SELECT * FROM u WHERE u.x > 1``, to be joined where ``u.k = t.k``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from sqlax.compiler.build.tree import conjunction, conjuncts
from sqlax.compiler.plan.nodes import (
    Distinct,
    Filter,
    Join,
    JoinKind,
    Node,
    Project,
    Score,
    Sort,
    column,
    columns_of,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Schema


@dataclass(frozen=True)
class Pulled:
    """A subquery's rows, and the conditions over them and the rows around it."""

    plan: Node
    conditions: tuple[exp.Expr, ...]


def pull_up(node: Node, free: set[str], *, any_row: bool = False) -> Pulled | None:
    """A subquery without its conditions on the fields `free`; None where that is not possible.

    Args:
        node: the subquery.
        free: the fields of the rows around it.
        any_row: only whether a row is there matters, so DISTINCT may see more columns.
    """
    if not reads_free(node, free):
        return Pulled(node, ())
    if isinstance(node, Distinct):
        below = pull_up(node.input, free, any_row=True) if any_row else None
        return None if below is None else below
    case = _CASES.get(type(node))
    return None if case is None else case(node, free, any_row)


def reads_free(node: Node, free: set[str]) -> bool:
    """Whether anything in a plan reads one of the fields."""
    return any(_reads(e, free) for below in node.walk() for e in below.expressions())


def _reads(expression: exp.Expr, free: set[str]) -> bool:
    return bool(outer_columns_of(expression) & free)


def any_reads(expressions: Iterable[exp.Expr], free: set[str]) -> bool:
    """Whether one of the expressions reads one of the fields."""
    return any(_reads(expression, free) for expression in expressions)


def _filter(node: Filter, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None:
        return None
    operands = conjuncts(node.predicate)
    kept = conjunction([operand for operand in operands if not _reads(operand, free)])
    plan = below.plan if kept is None else Filter(below.plan.schema, below.plan, kept)
    pulled = (operand for operand in operands if _reads(operand, free))
    return Pulled(plan, (*below.conditions, *pulled))


def _project(node: Project, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None or any_reads(node.values, free):
        return None
    wanted = {name for c in below.conditions for name in columns_of(c)}
    added = tuple(f for f in below.plan.schema.fields if f.name in wanted - set(node.schema.names))
    values = (*node.values, *(column(f.name) for f in added))
    return Pulled(Project(node.schema + Schema(added), below.plan, values), below.conditions)


def _score(node: Score, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None or any_reads(node.expressions(), free):
        return None
    answer = node.schema.select((node.name, node.name + "!"))
    plan = replace(node, schema=below.plan.schema + answer, input=below.plan)
    return Pulled(plan, below.conditions)


def _sort(node: Sort, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None or any_reads(node.expressions(), free):
        return None
    return Pulled(Sort(below.plan.schema, below.plan, node.keys), below.conditions)


def _join(node: Join, free: set[str], any_row: bool) -> Pulled | None:
    if node.kind in (JoinKind.FULL, JoinKind.OTHER) or any_reads(node.expressions(), free):
        return None
    if node.kind is not JoinKind.INNER and reads_free(node.right, free):
        return None
    left = pull_up(node.left, free, any_row=any_row)
    right = pull_up(node.right, free, any_row=any_row)
    if left is None or right is None:
        return None
    own = [f for f in node.schema.fields if f.name not in _both(node).names]
    sides = left.plan.schema + right.plan.schema if _has_right(node) else left.plan.schema
    schema = sides + Schema(tuple(own))
    plan = replace(node, schema=schema, left=left.plan, right=right.plan)
    return Pulled(plan, left.conditions + right.conditions)


def _both(node: Join) -> Schema:
    return node.left.schema + node.right.schema


def _has_right(node: Join) -> bool:
    return node.kind in (JoinKind.INNER, JoinKind.LEFT, JoinKind.SINGLE)


_CASES: dict[type[Node], Callable[[Any, set[str], bool], Pulled | None]] = {
    Filter: _filter,
    Project: _project,
    Score: _score,
    Sort: _sort,
    Join: _join,
}
