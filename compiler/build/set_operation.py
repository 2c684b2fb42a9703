"""UNION, EXCEPT and INTERSECT, with and without ALL, over planned sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.attach import settle
from sqlax.compiler.build.clause import limited, order_items, sorted_by
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent import row_number
from sqlax.compiler.build.scope import Scope, Source
from sqlax.compiler.build.subquery import renamed
from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    Distinct,
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
from sqlax.errors import UnsupportedError

BuildQuery = Callable[[exp.Query, Context], Node]


def build_set_operation(tree: exp.SetOperation, context: Context, build_query: BuildQuery) -> Node:
    """The plan of a set operation with its ORDER BY and LIMIT.

    Raises:
        UnsupportedError: UNION BY NAME, or sides of other widths.
    """
    left, right = _sides(tree, context, build_query)
    if tree.args.get("by_name") or len(left.schema.names) != len(right.schema.names):
        raise UnsupportedError("UNION BY NAME cannot be compiled yet", context.sql)
    left, right = _same_types(left, right, context)
    plan = _combined(tree, left, right, context)
    return _tail(tree, plan, context)


def _sides(tree: exp.SetOperation, context: Context, build_query: BuildQuery) -> tuple[Node, Node]:
    left, right = tree.this, tree.expression
    return build_query(left, context), renamed(build_query(right, context), context)


def _same_types(left: Node, right: Node, context: Context) -> tuple[Node, Node]:
    """Both sides with the types that DuckDB gives the result."""
    texts = [f"SELECT * FROM {typed_nulls(_plainly_named(side.schema))}" for side in (left, right)]
    fields = context.catalog.describe(" UNION ALL ".join(texts))
    types = [field.type for field in fields]
    return _cast(left, types), _cast(right, types)


def _plainly_named(schema: Schema) -> Schema:
    return Schema(tuple(Field(f"c{i}", f.type) for i, f in enumerate(schema.fields)))


def _cast(node: Node, types: list[str]) -> Node:
    fields = tuple(replace(f, type=t) for f, t in zip(node.schema.fields, types, strict=True))
    if fields == node.schema.fields:
        return node
    values = tuple(
        column(old.name)
        if old.type == new.type
        else exp.cast(column(old.name), exp.DataType.build(new.type, dialect="duckdb"))
        for old, new in zip(node.schema.fields, fields, strict=True)
    )
    return Project(Schema(fields), node, values)


def _combined(tree: exp.SetOperation, left: Node, right: Node, context: Context) -> Node:
    distinct = bool(tree.args.get("distinct"))
    if isinstance(tree, exp.Union):
        union = Union(left.schema, left, right)
        return Distinct(union.schema, union) if distinct else union
    kind = JoinKind.ANTI if isinstance(tree, exp.Except) else JoinKind.SEMI
    if distinct:
        return _matched(Distinct(left.schema, left), right, kind, left.schema)
    return _matched(_numbered(left, context), _numbered(right, context), kind, left.schema)


def _matched(left: Node, right: Node, kind: JoinKind, schema: Schema) -> Node:
    """The left rows with or without an equal right row; NULL equals NULL."""
    pairs = zip(left.schema.names, right.schema.names, strict=True)
    keys = tuple(JoinKey(column(a), column(b), null_safe=True) for a, b in pairs)
    joined = Join(left.schema, left, right, kind, keys)
    if left.schema == schema:
        return joined
    return Project(schema, joined, tuple(column(name) for name in schema.names))


def _numbered(node: Node, context: Context) -> Node:
    """The rows with a number among the rows equal to them: what ALL counts."""
    number = Field(context.fresh("number"), "BIGINT")
    window = row_number(tuple(column(name) for name in node.schema.names), ())
    return Window(node.schema + Schema((number,)), node, (window,))


def _tail(tree: exp.SetOperation, plan: Node, context: Context) -> Node:
    names = [name.split("\0")[0] for name in plan.schema.names]
    source = Source("", tuple(zip(names, plan.schema.names, strict=True)))
    scope = Scope([source], context.sql, parent=context.outer)
    outputs: list[exp.Expr] = [column(name) for name in plan.schema.names]
    items = order_items(tree, outputs, scope, context)
    schema = plan.schema
    plan, values = settle(plan, [item.value for item in items], context)
    plan = limited(sorted_by(plan, items, values), tree, context)
    if plan.schema == schema:
        return plan
    return Project(schema, plan, tuple(column(name) for name in schema.names))
