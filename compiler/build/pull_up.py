"""Correlated conditions pulled out of a subquery, into the join that replaces it.

SQL before: ``EXISTS (SELECT * FROM u WHERE u.k = t.k AND u.x > 1)``. After: the rows of
``SELECT * FROM u WHERE u.x > 1``, to be joined where ``u.k = t.k``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.tree import conjunction, conjuncts, rewrite
from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    Aggregate,
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
from sqlax.compiler.plan.schema import Field, Schema


@dataclass(frozen=True)
class Pulled:
    """A subquery's rows, and the conditions over them and the rows around it."""

    plan: Node
    conditions: tuple[exp.Expr, ...]


def pull_up(node: Node, free: set[str], *, any_row: bool = False) -> Pulled | None:
    """A subquery without its conditions on the fields `free`; None where that is not possible.

    Args:
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


def _any_reads(expressions: Iterable[exp.Expr], free: set[str]) -> bool:
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
    if below is None or _any_reads(node.values, free):
        return None
    wanted = {name for c in below.conditions for name in columns_of(c)}
    added = tuple(f for f in below.plan.schema.fields if f.name in wanted - set(node.schema.names))
    values = (*node.values, *(column(f.name) for f in added))
    return Pulled(Project(node.schema + Schema(added), below.plan, values), below.conditions)


def _score(node: Score, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None or _any_reads(node.expressions(), free):
        return None
    answer = node.schema.select((node.name, node.name + "!"))
    plan = replace(node, schema=below.plan.schema + answer, input=below.plan)
    return Pulled(plan, below.conditions)


def _sort(node: Sort, free: set[str], any_row: bool) -> Pulled | None:
    below = pull_up(node.input, free, any_row=any_row)
    if below is None or _any_reads(node.expressions(), free):
        return None
    return Pulled(Sort(below.plan.schema, below.plan, node.keys), below.conditions)


def _join(node: Join, free: set[str], any_row: bool) -> Pulled | None:
    if node.kind in (JoinKind.FULL, JoinKind.OTHER) or _any_reads(node.expressions(), free):
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


@dataclass(frozen=True)
class Inlined:
    """A correlated scalar aggregate: its groups to be joined, and the value over the joined row."""

    pulled: Pulled
    value: exp.Expr


def inlined_aggregate(plan: Node, free: set[str], context: Context) -> Inlined | None:
    """A scalar subquery that aggregates all its rows, as groups by the columns it is correlated by.

    SQL before: ``(SELECT COUNT(*) + 1 FROM u WHERE u.k = t.k)``. After: ``SELECT k, COUNT(*) FROM u
    GROUP BY k`` and the value ``COALESCE(count, 0) + 1``. None where another form is needed.
    """
    (value,) = (column(name) for name in plan.schema.names)
    found = _through(plan, value, [])
    if found is None:
        return None
    aggregate, value, conditions = found
    pulled = pull_up(aggregate.input, free)
    if pulled is None or _any_reads([value, *conditions], free):
        return None
    grouped = _by_correlation(aggregate, pulled, free, context)
    if grouped is None:
        return None
    empty = _empty_values(aggregate, context)
    condition = conjunction(conditions)
    if condition is not None:
        clause = exp.If(this=rewrite(condition, empty), true=rewrite(value, empty))
        return Inlined(grouped, exp.Case(ifs=[clause]))
    return Inlined(grouped, rewrite(value, empty))


def _through(
    node: Node, value: exp.Expr, conditions: list[exp.Expr]
) -> tuple[Aggregate, exp.Expr, list[exp.Expr]] | None:
    """The aggregate below projections and conditions, and both over its columns."""
    while isinstance(node, Project | Filter):
        if isinstance(node, Filter):
            conditions = [*conditions, node.predicate]
        else:
            made = {f.name: v for f, v in node.items()}
            value = _substituted(value, made)
            conditions = [_substituted(condition, made) for condition in conditions]
        node = node.input
    if not isinstance(node, Aggregate) or node.keys:
        return None
    return node, value, conditions


def _substituted(expression: exp.Expr, made: dict[str, exp.Expr]) -> exp.Expr:
    def visit(node: exp.Expr) -> exp.Expr | None:
        is_field = isinstance(node, exp.Column) and not node.table and node.name in made
        return exp.paren(made[node.name], copy=True) if is_field else None

    return rewrite(expression, visit)


def _by_correlation(
    aggregate: Aggregate, pulled: Pulled, free: set[str], context: Context
) -> Pulled | None:
    """The aggregate for each value of the columns that equal outer ones; None for other conditions."""
    keys: list[exp.Expr] = []
    conditions: list[exp.Expr] = []
    names: list[str] = []
    for condition in pulled.conditions:
        sides = _equal_sides(condition, free)
        if sides is None:
            return None
        names.append(context.fresh("key"))
        keys.append(sides[1])
        conditions.append(exp.EQ(this=sides[0].copy(), expression=column(names[-1])))
    types = context.types(keys, pulled.plan)
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    schema = Schema(fields + aggregate.schema.fields)
    grouped = Aggregate(schema, pulled.plan, tuple(keys), aggregate.calls)
    return Pulled(grouped, tuple(conditions))


def _equal_sides(condition: exp.Expr, free: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    """The outer and the inner side of an equality between them."""
    condition = condition.unnest()
    if not isinstance(condition, exp.EQ):
        return None
    for outer, inner in (
        (condition.this, condition.expression),
        (condition.expression, condition.this),
    ):
        if _is_outside(outer) and not outer_columns_of(inner) and columns_of(inner):
            return outer, inner
    return None


def _is_outside(expression: exp.Expr) -> bool:
    return bool(outer_columns_of(expression)) and not columns_of(expression)


def _empty_values(aggregate: Aggregate, context: Context) -> Callable[[exp.Expr], exp.Expr | None]:
    """Replaces each aggregate's column by what it is for a row without a group: COUNT is 0."""
    source = typed_nulls(aggregate.input.schema)
    values: dict[str, exp.Expr] = {}
    for name, call in zip(aggregate.schema.names, aggregate.calls, strict=True):
        sql = f"SELECT CAST({call.sql('duckdb')} AS VARCHAR) FROM {source} WHERE FALSE"
        ((empty,),) = context.catalog.rows(sql)
        if empty is not None:
            default = exp.cast(exp.Literal.string(empty), aggregate.schema[name].type, dialect="duckdb")
            values[name] = exp.Coalesce(this=column(name), expressions=[default])

    def visit(node: exp.Expr) -> exp.Expr | None:
        known = isinstance(node, exp.Column) and not node.table and node.name in values
        return values[node.name].copy() if known else None

    return visit
