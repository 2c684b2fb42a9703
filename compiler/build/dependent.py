"""Correlated subqueries of any shape: computed once for each distinct set of outer values.

The distinct values of the outer columns become a relation that is pushed down through the
subquery to where they are read; everything above is computed for each of its rows. Source: T.
Neumann and A. Kemper, "Unnesting Arbitrary Queries", BTW 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent_aggregate import push_aggregate
from sqlax.compiler.build.dependent_join import push_join
from sqlax.compiler.build.outer_values import Pusher, Values, distinct_values
from sqlax.compiler.build.pull_up import Pulled
from sqlax.compiler.build.tree import conjunction
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    Node,
    Project,
    Score,
    Sort,
    SortItem,
    Union,
    Unnest,
    Window,
    column,
)
from sqlax.compiler.plan.schema import Field, Schema


def with_outer_values(
    subquery: Node, plan: Node, local: dict[str, exp.Expr], context: Context
) -> Pulled:
    """The subquery's rows for each distinct set of outer values, and the join's conditions.

    Args:
        subquery: a plan that reads the fields `local`.
        plan: the rows around it.
        local: what each field is over the plan's columns.
        context: the query's context.
    """
    values = distinct_values(plan, local, context)
    pushed = Pusher(context, set(local), _CASES).push(subquery, values)
    conditions = tuple(
        exp.NullSafeEQ(this=exp.paren(local[name], copy=True), expression=column(held))
        for name, held in values.names.items()
    )
    return Pulled(pushed, conditions)


def _filter(self: Pusher, node: Filter, values: Values) -> Node:
    below = self.push(node.input, values)
    return Filter(below.schema, below, values.inside(node.predicate))


def _project(self: Pusher, node: Project, values: Values) -> Node:
    below = self.push(node.input, values)
    own = tuple(values.inside(value) for value in node.values)
    return Project(node.schema + values.plan.schema, below, own + values.columns)


def _score(self: Pusher, node: Score, values: Values) -> Node:
    below = self.push(node.input, values)
    call = node.call.with_values(tuple(values.inside(v) for v in node.call.values))
    guard = None if node.guard is None else values.inside(node.guard)
    answer = node.schema.select((node.name, node.name + "!"))
    return Score(below.schema + answer, below, call, node.name, guard)


def _sort(self: Pusher, node: Sort, values: Values) -> Node:
    below = self.push(node.input, values)
    keys = tuple(replace(key, value=values.inside(key.value)) for key in node.keys)
    return Sort(below.schema, below, keys)


def _distinct(self: Pusher, node: Distinct, values: Values) -> Node:
    below = self.push(node.input, values)
    return Distinct(below.schema, below)


def _limit(self: Pusher, node: Limit, values: Values) -> Node:
    """LIMIT for each set of values: number its rows and keep the first."""
    keys: tuple[SortItem, ...] = ()
    inner = node.input
    if isinstance(inner, Sort):
        keys, inner = inner.keys, inner.input
    below = self.push(inner, values)
    name = self.context.fresh("number")
    order = tuple(replace(key, value=values.inside(key.value)) for key in keys)
    window = row_number(values.columns, order)
    numbered = Window(below.schema + Schema((Field(name, "BIGINT"),)), below, (window,))
    bounds: list[exp.Expr] = [exp.GT(this=column(name), expression=_number(node.offset))]
    if node.count is not None:
        last = _number(node.offset + node.count)
        bounds.append(exp.LTE(this=column(name), expression=last))
    predicate = conjunction(bounds) or exp.true()
    kept = Filter(numbered.schema, numbered, predicate)
    return Project(below.schema, kept, tuple(column(n) for n in below.schema.names))


def row_number(partition: tuple[exp.Expr, ...], order: tuple[SortItem, ...]) -> exp.Expr:
    """`ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...)`."""
    ordered = [
        exp.Ordered(this=key.value.copy(), desc=key.descending, nulls_first=key.nulls_first)
        for key in order
    ]
    return exp.Window(
        this=exp.RowNumber(),
        partition_by=[value.copy() for value in partition],
        order=exp.Order(expressions=ordered) if ordered else None,
        over="OVER",
    )


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def _window(self: Pusher, node: Window, values: Values) -> Node:
    below = self.push(node.input, values)
    added = Schema(node.schema.fields[len(node.input.schema.fields) :])
    calls = tuple(_partitioned(values.inside(call), values) for call in node.calls)
    return Window(below.schema + added, below, calls)


def _partitioned(call: exp.Expr, values: Values) -> exp.Expr:
    changed = call.copy()
    window = changed if isinstance(changed, exp.Window) else changed.find(exp.Window)
    assert window is not None, "a window call has a window"
    window.set("partition_by", [*(window.args.get("partition_by") or []), *values.columns])
    return changed


def _unnest(self: Pusher, node: Unnest, values: Values) -> Node:
    below = self.push(node.input, values)
    added = Schema(node.schema.fields[len(node.input.schema.fields) :])
    calls = tuple(values.inside(call) for call in node.calls)
    return Unnest(below.schema + added, below, calls)


def _union(self: Pusher, node: Union, values: Values) -> Node:
    sides = []
    for side in node.inputs:
        own = self.again(values)
        pushed = self.push(side, own)
        names = (*side.schema.names, *own.plan.schema.names)
        schema = side.schema + own.plan.schema
        sides.append(Project(schema, pushed, tuple(column(name) for name in names)))
    return Union(node.schema + values.plan.schema, sides[0], sides[1])


_CASES: dict[type[Node], Callable[[Pusher, Any, Values], Node]] = {
    Filter: _filter,
    Project: _project,
    Score: _score,
    Sort: _sort,
    Distinct: _distinct,
    Limit: _limit,
    Window: _window,
    Aggregate: push_aggregate,
    Union: _union,
    Unnest: _unnest,
    Join: push_join,
}
