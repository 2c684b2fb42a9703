"""Expressions of one SELECT with every name bound and every semantic call checked and marked."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.build.subquery import bind_subquery
from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.rewrite import is_call
from sqlax.errors import BindError

MOST_LABELS_OF_A_SET = 62
"""Labels whose set fits the bits of an int64."""


def resolve(
    expression: exp.Expr, scope: Scope, context: Context, *, alias_first: bool = False
) -> exp.Expr:
    """A copy of the expression over plan fields, semantic calls and subqueries marked.

    Raises:
        BindError: a name is unknown or ambiguous, or a call's arguments do not fit.
        UnsupportedError: a subquery of a form that cannot be compiled.
    """

    def inner(node: exp.Expr) -> exp.Expr:
        return resolve(node, scope, context, alias_first=alias_first)

    def visit(node: exp.Expr) -> exp.Expr | None:
        found = bind_subquery(node, scope, context, context.build_query, inner)
        if found is not None:
            return found
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
    return context.templates.mark(call.with_values(values))
