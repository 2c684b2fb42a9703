"""A whole query: WITH, set operations and the SELECT inside."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Source
from sqlax.compiler.build.select import build_select
from sqlax.compiler.build.source import is_semantic_query, plain_scan, planned_source, table_source
from sqlax.compiler.plan.nodes import Node, Project, column
from sqlax.compiler.plan.schema import Schema
from sqlax.errors import UnsupportedError


def build_query(tree: exp.Query, context: Context) -> Node:
    """The plan of a query; without semantic calls it is a single scan."""
    context, tree = _enter_with(tree, context)
    if isinstance(tree, exp.Subquery) and is_semantic_query(tree, context):
        return build_query(tree.this, context)
    if not is_semantic_query(tree, context):
        return plain_scan(tree, context)
    if isinstance(tree, exp.Select):
        return build_select(tree, context, build_source)
    name = type(tree).__name__.upper()
    raise UnsupportedError(f"{name} of semantic queries cannot be compiled yet", context.sql)


def _enter_with(tree: exp.Query, context: Context) -> tuple[Context, exp.Query]:
    """The context inside the query's own WITH, and the query without it."""
    clause = tree.args.get("with_")
    if clause is None:
        return context, tree
    inner = context
    for cte in clause.expressions:
        if is_semantic_query(cte.this, inner):
            _refuse_recursion(clause, context)
            inner = inner.nested((), {cte.alias.lower(): _planned_cte(cte, inner)})
        else:
            inner = inner.nested((cte,), {})
    bare = tree.copy()
    bare.set("with_", None)
    return inner, bare


def _planned_cte(cte: exp.CTE, context: Context) -> Node:
    plan = build_query(cte.this, context)
    given = [part.name for part in cte.args["alias"].args.get("columns") or []]
    if not given:
        return plan
    fields = plan.schema.fields
    renamed = [replace(f, name=name) for f, name in zip(fields, given, strict=False)]
    values = tuple(column(name) for name in plan.schema.names)
    return Project(Schema((*renamed, *fields[len(given) :])), plan, values)


def _refuse_recursion(clause: exp.With, context: Context) -> None:
    if clause.recursive:
        raise UnsupportedError("WITH RECURSIVE over semantic calls cannot be compiled", context.sql)


def build_source(item: exp.Expr, context: Context) -> tuple[Node, Source]:
    """The plan of one FROM item and the columns it makes visible."""
    if isinstance(item, exp.Table) and item.name.lower() in context.planned and not item.db:
        return planned_source(context.planned[item.name.lower()], item, context)
    if isinstance(item, exp.Subquery) and is_semantic_query(item.this, context):
        return planned_source(build_query(item.this, context), item, context)
    if is_semantic_query(item, context):
        name = type(item).__name__.upper()
        raise UnsupportedError(f"{name} over semantic calls cannot be compiled yet", context.sql)
    return table_source(item, context)
