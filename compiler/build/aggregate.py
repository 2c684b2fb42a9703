"""GROUP BY: aggregate calls and keys become columns; semantic calls fall below or above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.lift import lift
from sqlax.compiler.build.tree import has_semantic, is_semantic, rewrite
from sqlax.compiler.plan.nodes import Aggregate, Node, column, columns_of
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError


@dataclass(frozen=True)
class Grouping:
    """Whether a SELECT aggregates, and whether a model is called below the aggregation."""

    semantic_below: bool

    @classmethod
    def of(
        cls,
        expressions: list[exp.Expr],
        group: list[exp.Expr],
        select: exp.Select,
        context: Context,
    ) -> Grouping | None:
        """None for a SELECT without GROUP BY and without aggregate calls."""
        calls = [call for e in expressions for call in cls.aggregates_in(e, context)]
        if not calls and select.args.get("group") is None and select.args.get("having") is None:
            return None
        return cls(any(has_semantic(node) for node in [*calls, *group]))

    @staticmethod
    def aggregates_in(expression: exp.Expr, context: Context) -> Iterator[exp.Expr]:
        """The topmost aggregate calls, FILTER included; those over a window are not."""
        if isinstance(expression, exp.Window):
            parts = [p for key, p in _parts(expression) if key != "this"]
            for part in [*parts, *expression.this.iter_expressions()]:
                yield from Grouping.aggregates_in(part, context)
        elif _is_aggregate(expression, context):
            yield expression
        elif not isinstance(expression, exp.Query):
            for child in expression.iter_expressions():
                yield from Grouping.aggregates_in(child, context)


def _parts(node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    for key, value in node.args.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield key, part


def _is_aggregate(node: exp.Expr, context: Context) -> bool:
    if isinstance(node, exp.Filter | exp.WithinGroup):
        return _is_aggregate(node.this, context)
    if isinstance(node, exp.AggFunc):
        return True
    named = isinstance(node, exp.Anonymous) and not is_semantic(node)
    return named and node.name.lower() in context.aggregates


def build_aggregate(
    plan: Node,
    expressions: list[exp.Expr],
    group: list[exp.Expr],
    context: Context,
) -> tuple[Node, list[exp.Expr]]:
    """The Aggregate above `plan`, and the expressions reading its columns.

    Raises:
        BindError: an expression reads a column that is neither grouped nor aggregated.
    """
    found = (call for e in expressions for call in Grouping.aggregates_in(e, context))
    calls = list(dict.fromkeys(found))
    keys = list(dict.fromkeys(group))
    plan, lifted = lift(plan, [*keys, *calls], context.templates)
    split = len(keys)
    types = [
        *context.catalog.types_of(lifted[:split], plan.schema),
        *context.catalog.types_of(lifted[split:], plan.schema),
    ]
    names = [context.fresh("key") for _ in keys] + [context.fresh("agg") for _ in calls]
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    aggregate = Aggregate(Schema(fields), plan, tuple(lifted[:split]), tuple(lifted[split:]))
    by_node = dict(zip([*keys, *calls], names, strict=True))
    rewritten = [
        rewrite(e, lambda n: column(by_node[n]) if n in by_node else None) for e in expressions
    ]
    _check_grouped(rewritten, aggregate, context)
    return aggregate, rewritten


def _check_grouped(expressions: list[exp.Expr], aggregate: Aggregate, context: Context) -> None:
    for expression in expressions:
        loose = columns_of(expression) - set(aggregate.schema.names)
        if loose:
            name = min(loose).split(".")[-1]
            text = f"column {name!r} must stand in GROUP BY or inside an aggregate function"
            raise BindError(text, context.sql)
