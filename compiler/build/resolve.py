"""Expressions of one SELECT with every name bound and every semantic call checked and marked."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.build.tree import rewrite, with_values
from sqlax.compiler.plan.nodes import OUTER
from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.rewrite import find_calls, is_call
from sqlax.errors import BindError, UnsupportedError

MOST_LABELS_OF_A_SET = 62
"""Labels whose set fits the bits of an int64."""


def resolve(
    expression: exp.Expr, scope: Scope, context: Context, *, alias_first: bool = False
) -> exp.Expr:
    """A copy of the expression over plan fields, semantic calls marked.

    Raises:
        BindError: a name is unknown or ambiguous, or a call's arguments do not fit.
        UnsupportedError: a semantic call stands in a subquery of the expression.
    """

    def visit(node: exp.Expr) -> exp.Expr | None:
        if isinstance(node, exp.Query):
            return _subquery(node, scope, context)
        if is_call(node):
            return _call(node, scope, context, alias_first=alias_first)
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
            return scope.resolve(node, alias_first=alias_first)
        return None

    return rewrite(expression, visit)


def _call(node: exp.Anonymous, scope: Scope, context: Context, *, alias_first: bool) -> exp.Expr:
    call = bind_call(node, context.sql, context.dialect)
    if call.multi and len(call.labels) > MOST_LABELS_OF_A_SET:
        text = f"output_mode => 'multi' takes at most {MOST_LABELS_OF_A_SET} categories"
        raise BindError(f"{text}, not {len(call.labels)}", context.sql, call.span)
    values = tuple(resolve(value, scope, context, alias_first=alias_first) for value in call.values)
    return context.templates.mark(with_values(call, values))


def _subquery(node: exp.Query, scope: Scope, context: Context) -> exp.Expr:
    """A subquery for DuckDB: columns qualified with an outer source's name are bound to it."""
    if find_calls(node):
        text = "a semantic call inside a subquery of an expression cannot be compiled yet"
        raise UnsupportedError(text, context.sql)
    inner = {t.alias_or_name.lower() for t in node.find_all(exp.Table, exp.Subquery)}
    outer = {source.name.lower() for source in scope.sources} - inner
    bound = node.copy()
    for reference in list(bound.find_all(exp.Column)):
        if reference.table.lower() in outer:
            field = scope.resolve(reference)
            field.meta[OUTER] = True
            reference.replace(field)
    if context.plain:
        clause = exp.With(expressions=[cte.copy() for cte in context.plain])
        bound.set("with_", clause)
    return bound
