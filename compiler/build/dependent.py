"""Correlated subqueries of any shape: computed once for each distinct set of outer values.

The distinct values of the outer columns become a relation that is pushed down through the
subquery to where they are read; everything above is computed for each of its rows. Source: T.
Neumann and A. Kemper, "Unnesting Arbitrary Queries", BTW 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.pull_up import Pulled, reads_free
from sqlax.compiler.build.tree import conjunction, rewrite
from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    OUTER,
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Node,
    Project,
    Score,
    Sort,
    SortItem,
    Union,
    Window,
    column,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import UnsupportedError


def with_outer_values(
    subquery: Node, plan: Node, local: dict[str, exp.Expr], context: Context
) -> Pulled:
    """The subquery's rows for each distinct set of outer values in `plan`, with the join's conditions.

    Args:
        subquery: a plan that reads the fields `local`.
        plan: the rows around it.
        local: what each field is over the plan's columns.
    """
    values = _distinct_values(plan, local, context)
    pushed = _Pusher(context, set(local)).push(subquery, values)
    conditions = tuple(
        exp.NullSafeEQ(this=exp.paren(local[name], copy=True), expression=column(held))
        for name, held in values.names.items()
    )
    return Pulled(pushed, conditions)


@dataclass(frozen=True)
class Values:
    """The distinct outer values: a relation, and its column for each outer field."""

    plan: Node
    names: dict[str, str]

    @property
    def columns(self) -> tuple[exp.Expr, ...]:
        """The relation's columns."""
        return tuple(column(name) for name in self.plan.schema.names)

    def inside(self, expression: exp.Expr) -> exp.Expr:
        """The expression reading the values instead of the outer fields."""

        def visit(node: exp.Expr) -> exp.Expr | None:
            is_free = isinstance(node, exp.Column) and OUTER in node.meta
            return column(self.names[node.name]) if is_free and node.name in self.names else None

        return rewrite(expression, visit)


def _distinct_values(plan: Node, local: dict[str, exp.Expr], context: Context) -> Values:
    types = context.types(local.values(), plan)
    names = {name: context.fresh("outer") for name in local}
    schema = Schema(tuple(Field(n, t) for n, t in zip(names.values(), types, strict=True)))
    return Values(Distinct(schema, Project(schema, plan, tuple(local.values()))), names)


@dataclass(frozen=True)
class _Pusher:
    """Pushes outer values through a subquery: each result has their columns beside its own."""

    context: Context
    free: set[str]

    def push(self, node: Node, values: Values) -> Node:
        """The node's rows for each row of the values."""
        if not reads_free(node, self.free):
            schema = node.schema + values.plan.schema
            return Join(schema, node, values.plan, JoinKind.INNER)
        case = _CASES.get(type(node))
        if case is None:
            name = type(node).__name__.upper()
            text = f"{name} that reads a column of the query around it cannot be compiled yet"
            raise UnsupportedError(text, self.context.sql)
        pushed: Node = case(self, node, values)
        return pushed

    def again(self, values: Values) -> Values:
        """The same values under other names, for the other side of a join."""
        names = {name: self.context.fresh("outer") for name in values.names}
        types = (field.type for field in values.plan.schema.fields)
        schema = Schema(tuple(Field(n, t) for n, t in zip(names.values(), types, strict=True)))
        return Values(Project(schema, values.plan, values.columns), names)


def _filter(self: _Pusher, node: Filter, values: Values) -> Node:
    below = self.push(node.input, values)
    return Filter(below.schema, below, values.inside(node.predicate))


def _project(self: _Pusher, node: Project, values: Values) -> Node:
    below = self.push(node.input, values)
    own = tuple(values.inside(value) for value in node.values)
    return Project(node.schema + values.plan.schema, below, own + values.columns)


def _score(self: _Pusher, node: Score, values: Values) -> Node:
    below = self.push(node.input, values)
    call = node.call.with_values(tuple(values.inside(v) for v in node.call.values))
    guard = None if node.guard is None else values.inside(node.guard)
    answer = node.schema.select((node.name, node.name + "!"))
    return Score(below.schema + answer, below, call, node.name, guard)


def _sort(self: _Pusher, node: Sort, values: Values) -> Node:
    below = self.push(node.input, values)
    keys = tuple(replace(key, value=values.inside(key.value)) for key in node.keys)
    return Sort(below.schema, below, keys)


def _distinct(self: _Pusher, node: Distinct, values: Values) -> Node:
    below = self.push(node.input, values)
    return Distinct(below.schema, below)


def _limit(self: _Pusher, node: Limit, values: Values) -> Node:
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


def _window(self: _Pusher, node: Window, values: Values) -> Node:
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


def _aggregate(self: _Pusher, node: Aggregate, values: Values) -> Node:
    below = self.push(node.input, values)
    keys = tuple(values.inside(key) for key in node.keys) + values.columns
    calls = tuple(values.inside(call) for call in node.calls)
    split = len(node.keys)
    fields = node.schema.fields
    schema = Schema((*fields[:split], *values.plan.schema.fields, *fields[split:]))
    grouped = Aggregate(schema, below, keys, calls)
    return grouped if node.keys else _restored(self, node, grouped, values)


def _restored(self: _Pusher, node: Aggregate, grouped: Node, values: Values) -> Node:
    """The groups and, for values without rows, what the aggregates are of no rows."""
    outer = self.again(values)
    pairs = zip(outer.plan.schema.names, values.plan.schema.names, strict=True)
    keys = tuple(JoinKey(column(a), column(b), null_safe=True) for a, b in pairs)
    joined = Join(outer.plan.schema + grouped.schema, outer.plan, grouped, JoinKind.LEFT, keys)
    filled = tuple(
        _of_no_rows(call, field, node.input.schema, self.context)
        for call, field in zip(node.calls, node.schema.fields, strict=True)
    )
    return Project(node.schema + values.plan.schema, joined, filled + outer.columns)


def _of_no_rows(call: exp.Expr, field: Field, schema: Schema, context: Context) -> exp.Expr:
    if outer_columns_of(call):
        known = {name: context.known[name] for name in outer_columns_of(call)}
        schema += Schema(tuple(f for name, f in known.items() if name not in schema))
    sql = f"SELECT CAST({call.sql('duckdb')} AS VARCHAR) FROM {typed_nulls(schema)} WHERE FALSE"
    ((empty,),) = context.catalog.rows(sql)
    if empty is None:
        return column(field.name)
    default = exp.cast(exp.Literal.string(empty), field.type, dialect="duckdb")
    return exp.Coalesce(this=column(field.name), expressions=[default])


def _union(self: _Pusher, node: Union, values: Values) -> Node:
    sides = []
    for side in node.inputs:
        own = self.again(values)
        pushed = self.push(side, own)
        names = (*side.schema.names, *own.plan.schema.names)
        schema = side.schema + own.plan.schema
        sides.append(Project(schema, pushed, tuple(column(name) for name in names)))
    return Union(node.schema + values.plan.schema, sides[0], sides[1])


def _join(self: _Pusher, node: Join, values: Values) -> Node:
    if node.kind is JoinKind.OTHER:
        raise UnsupportedError(f"a correlated {node.other} JOIN cannot be compiled yet")
    keys = tuple(JoinKey(values.inside(k.left), values.inside(k.right), k.null_safe) for k in node.keys)
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
    self: _Pusher,
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


_CASES: dict[type[Node], Callable[[_Pusher, Any, Values], Node]] = {
    Filter: _filter,
    Project: _project,
    Score: _score,
    Sort: _sort,
    Distinct: _distinct,
    Limit: _limit,
    Window: _window,
    Aggregate: _aggregate,
    Union: _union,
    Join: _join,
}
