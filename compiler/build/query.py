"""A whole query: WITH, set operations and the SELECT inside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.join import join_items
from sqlax.compiler.build.scope import Scope, Source
from sqlax.compiler.build.select import build_select
from sqlax.compiler.build.set_operation import build_set_operation
from sqlax.compiler.build.source import is_semantic_query, plain_scan, planned_source, table_source
from sqlax.compiler.plan.nodes import Node, Project, column
from sqlax.compiler.plan.schema import Schema
from sqlax.errors import BindError, UnsupportedError

Form: TypeAlias = Callable[[exp.Query, Context], Node]


def build_query(tree: exp.Query, context: Context) -> Node:
    """The plan of a query. Without semantic calls it stays SQL where the context lets it.

    Raises:
        BindError: a name, function or argument does not fit.
        UnsupportedError: a part of SQL that has no plan, beside a semantic call.
    """
    if isinstance(tree, exp.Values):
        tree = exp.select("*").from_(exp.alias_(tree.copy(), "v", table=True))
    if is_semantic_query(tree, context):
        return _planned(tree, context)
    first, second = (_planned, plain_scan) if context.whole else (plain_scan, _planned)
    try:
        return first(tree, context)
    except (BindError, UnsupportedError) as error:
        return _or_raise(second, tree, context, error)


def _or_raise(second: Form, tree: exp.Query, context: Context, error: Exception) -> Node:
    """The other form of the query; the first error where that fails too."""
    try:
        return second(tree, context)
    except (BindError, UnsupportedError):
        raise error from None


def _planned(tree: exp.Query, context: Context) -> Node:
    context, tree = _enter_with(tree, context)
    if isinstance(tree, exp.Subquery) and not tree.args.get("joins"):
        return _bracketed(tree, context)
    if isinstance(tree, exp.Select):
        return build_select(tree, context, build_source)
    if isinstance(tree, exp.SetOperation):
        return build_set_operation(tree, context, build_query)
    name = type(tree).__name__.upper()
    raise UnsupportedError(f"{name} cannot be compiled yet", context.sql)


def _bracketed(tree: exp.Subquery, context: Context) -> Node:
    if any(tree.args.get(clause) for clause in ("order", "limit", "offset")):
        whole = exp.select("*").from_(exp.Subquery(this=tree.this.copy(), alias=None))
        for clause in ("order", "limit", "offset"):
            whole.set(clause, tree.args.get(clause))
        return build_query(whole, context)
    return build_query(tree.this, context)


def _enter_with(tree: exp.Query, context: Context) -> tuple[Context, exp.Query]:
    """The context inside the query's own WITH, and the query without it."""
    clause = tree.args.get("with_")
    if clause is None:
        return context, tree
    if clause.recursive and is_semantic_query(tree, context):
        raise UnsupportedError("WITH RECURSIVE over semantic calls cannot be compiled", context.sql)
    if clause.recursive:
        raise UnsupportedError("WITH RECURSIVE stays with DuckDB", context.sql)
    inner = context
    for cte in clause.expressions:
        inner = _with_cte(cte, inner)
    bare = tree.copy()
    bare.set("with_", None)
    return inner, bare


def _with_cte(cte: exp.CTE, context: Context) -> Context:
    if is_semantic_query(cte.this, context):
        return context.with_cte(cte.alias, None, _planned_cte(cte, context))
    planned = _planned_cte(cte, context) if context.whole else None
    return context.with_cte(cte.alias, cte, planned)


def _planned_cte(cte: exp.CTE, context: Context) -> Node:
    plan = build_query(cte.this, context)
    given = [part.name for part in cte.args["alias"].args.get("columns") or []]
    if not given:
        return plan
    fields = plan.schema.fields
    renamed = [replace(f, name=name) for f, name in zip(fields, given, strict=False)]
    values = tuple(column(name) for name in plan.schema.names)
    return Project(Schema((*renamed, *fields[len(given) :])), plan, values)


def build_source(item: exp.Expr, context: Context) -> tuple[Node, list[Source]]:
    """The plan of one FROM item and the sources it makes visible."""
    if isinstance(item, exp.Lateral):
        return _lateral(item, context)
    if isinstance(item, exp.Table) and item.name.lower() in context.planned and not item.db:
        plan, source = planned_source(context.planned[item.name.lower()], item, context)
        return plan, [source]
    if isinstance(item, exp.Subquery | exp.Paren) and _is_item(item.this):
        return _joined_items(item, context)
    if isinstance(item, exp.Subquery):
        plan, source = planned_source(build_query(item.this, context), item, context)
        return plan, [source]
    if is_semantic_query(item, context):
        name = type(item).__name__.upper()
        raise UnsupportedError(f"{name} over semantic calls cannot be compiled yet", context.sql)
    plan, source = table_source(item, context)
    return plan, [source]


def _is_item(inner: exp.Expr) -> bool:
    """Whether brackets hold FROM items, not a query."""
    if isinstance(inner, exp.Subquery | exp.Lateral):
        return bool(inner.args.get("joins"))
    return isinstance(inner, exp.Table)


def _lateral(item: exp.Lateral, context: Context) -> tuple[Node, list[Source]]:
    if not isinstance(item.this, exp.Subquery):
        raise UnsupportedError("LATERAL of a function cannot be compiled yet", context.sql)
    plan, source = planned_source(build_query(item.this.this, context), item, context)
    return plan, [source]


def _joined_items(item: exp.Expr, context: Context) -> tuple[Node, list[Source]]:
    """`(a JOIN b ON ...)`: the names inside stay visible."""
    joins = [*(item.this.args.get("joins") or []), *(item.args.get("joins") or [])]
    scope = Scope([], context.sql, parent=context.outer)
    plan, pending = join_items(item.this, joins, scope, context, build_source)
    if pending or item.alias or scope.merged or scope.hidden:
        raise UnsupportedError("such a join in brackets cannot be compiled yet", context.sql)
    return plan, scope.sources
