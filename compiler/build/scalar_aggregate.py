"""Correlated scalar aggregates: the groups are joined, the value is computed above the join."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.pull_up import Pulled, any_reads, pull_up
from sqlax.compiler.build.tree import conjunction, rewrite
from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Filter,
    Node,
    Project,
    column,
    columns_of,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema


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
    (name,) = plan.schema.names
    found = _through(plan, column(name), [])
    if found is None:
        return None
    aggregate, value, conditions = found
    pulled = pull_up(aggregate.input, free)
    if pulled is None or any_reads([value, *conditions, *aggregate.calls], free):
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
    """The aggregate by the columns that equal outer ones; None where another condition is."""
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
            default = exp.cast(
                exp.Literal.string(empty), aggregate.schema[name].type, dialect="duckdb"
            )
            values[name] = exp.Coalesce(this=column(name), expressions=[default])

    def visit(node: exp.Expr) -> exp.Expr | None:
        known = isinstance(node, exp.Column) and not node.table and node.name in values
        return values[node.name].copy() if known else None

    return visit
