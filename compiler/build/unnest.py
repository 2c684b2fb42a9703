"""UNNEST among the outputs of a SELECT."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.attach import settle
from sqlax.compiler.build.clauses import Clauses
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.plan.nodes import Node, Unnest, column
from sqlax.compiler.plan.schema import Field, Schema


def unnested(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    """The rows with the elements of all lists that the clauses unnest, and the clauses over them.

    It comes after WHERE, grouping and windows, and before DISTINCT, ORDER BY and LIMIT.
    """
    found = (call for e in clauses.expressions() for call in e.find_all(exp.Explode, exp.Unnest))
    calls: list[exp.Expr] = list(dict.fromkeys(found))
    if not calls:
        return plan, clauses
    plan, lifted = settle(plan, calls, context)
    types = context.types(lifted, plan)
    names = [context.fresh("element") for _ in calls]
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    plan = Unnest(plan.schema + Schema(fields), plan, tuple(lifted))
    by_call = dict(zip(calls, names, strict=True))

    def visit(node: exp.Expr) -> exp.Expr | None:
        return column(by_call[node]) if node in by_call else None

    return plan, clauses.replaced([rewrite(e, visit) for e in clauses.expressions()])
