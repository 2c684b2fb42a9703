"""The door of this folder: one parsed query to its plan."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.known import with_known_conditions
from sqlax.compiler.build.query import build_query
from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Project, column
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.rewrite import find_calls, is_call
from sqlax.compiler.sql.stub import stub_of
from sqlax.compiler.sql.tokens import Dialect
from sqlax.errors import BindError, Span


def build_plan(
    tree: exp.Query,
    sql: str,
    dialect: Dialect,
    catalog: Catalog,
    *,
    span: Span | None = None,
    whole: bool = False,
) -> Node:
    """The plan of a query, its output columns named as DuckDB would name them.

    Args:
        tree: a tree of `parse_query`.
        sql: the text it was parsed from, which errors underline.
        dialect: the session's dialect.
        catalog: names and types.
        span: the part of the text that is the query.
        whole: plan every part; without it what calls no model stays SQL.

    Raises:
        BindError: a name, function or argument does not fit.
        UnsupportedError: an operator that cannot stand above a semantic one yet.
    """
    text = sql if span is None else sql[span.start : span.end]
    described = _check(tree, sql, text, dialect, catalog)
    aggregates = catalog.aggregate_names()
    plan = build_query(tree, Context(catalog, sql, dialect, aggregates, build_query, whole))
    plan = with_known_conditions(plan, catalog)
    return plan if find_calls(tree) else _named(plan, described)


def _named(plan: Node, described: tuple[Field, ...]) -> Node:
    """The plan with the names that DuckDB gives its columns, numbered where one stands twice."""
    taken: Counter[str] = Counter()
    fields = []
    for held, told in zip(plan.schema.fields, described, strict=True):
        number = taken[told.name]
        taken[told.name] += 1
        fields.append(replace(held, name=f"{told.name}\0{number}" if number else told.name))
    if tuple(fields) == plan.schema.fields:
        return plan
    return Project(Schema(tuple(fields)), plan, tuple(column(n) for n in plan.schema.names))


def _check(
    tree: exp.Query, sql: str, text: str, dialect: Dialect, catalog: Catalog
) -> tuple[Field, ...]:
    """Let DuckDB check the query with typed NULLs in place of the semantic calls."""

    def stub(node: exp.Expr) -> exp.Expr | None:
        if not is_call(node):
            return None
        return stub_of(bind_call(node, sql, dialect))

    stubbed = rewrite(tree, stub).sql("duckdb")
    if dialect == "duckdb" and not find_calls(tree) and not catalog.parameters:
        stubbed = text  # as the user wrote it: DuckDB names columns after the text
    try:
        return catalog.describe(stubbed)
    except BindError as error:
        raise BindError(error.reason, sql, _named_in(error.reason, sql)) from error


def _named_in(reason: str, sql: str) -> Span | None:
    """Where the first name that DuckDB complains of stands in the user's text."""
    for match in re.finditer(r'"([^"]+)"|(?:with name|function) (\w+)', reason):
        name = match.group(1) or match.group(2)
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sql, re.IGNORECASE)
        if found:
            return Span(*found.span())
    return None


def visible_output(plan: Node) -> tuple[str, ...]:
    """Output names as the user sees them: a name that stands twice is not numbered."""
    return tuple(field.name.split("\0")[0] for field in plan.schema.fields)
