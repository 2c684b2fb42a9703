"""Outer values pushed through GROUP BY: they become keys, and empty groups are put back."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.outer_values import Pusher, Values
from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Join,
    JoinKey,
    JoinKind,
    Node,
    Project,
    column,
    outer_columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema


def push_aggregate(self: Pusher, node: Aggregate, values: Values) -> Node:
    """The aggregate for each row of the values."""
    below = self.push(node.input, values)
    keys = tuple(values.inside(key) for key in node.keys) + values.columns
    calls = tuple(values.inside(call) for call in node.calls)
    split = len(node.keys)
    fields = node.schema.fields
    schema = Schema((*fields[:split], *values.plan.schema.fields, *fields[split:]))
    grouped = Aggregate(schema, below, keys, calls)
    return grouped if node.keys else _restored(self, node, grouped, values)


def _restored(self: Pusher, node: Aggregate, grouped: Node, values: Values) -> Node:
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
