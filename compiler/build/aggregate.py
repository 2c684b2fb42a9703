"""GROUP BY: aggregate calls and keys become columns; semantic calls fall below or above."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.build.attach import settle
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.grouping_sets import GroupBy, Sets
from sqlax.compiler.build.subquery import renamed
from sqlax.compiler.build.tree import has_semantic, is_semantic, rewrite, typed_null
from sqlax.compiler.plan.nodes import Aggregate, Node, Project, Union, column, columns_of
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
        group: GroupBy,
        select: exp.Select,
        context: Context,
    ) -> Grouping | None:
        """None for a SELECT without GROUP BY and without aggregate calls."""
        calls = [call for e in expressions for call in cls.aggregates_in(e, context)]
        if not calls and select.args.get("group") is None and select.args.get("having") is None:
            return None
        return cls(any(has_semantic(node) for node in [*calls, *group.keys]))

    @staticmethod
    def aggregates_in(expression: exp.Expr, context: Context) -> Iterator[exp.Expr]:
        """The topmost aggregate calls, FILTER included; those over a window are not."""
        if isinstance(expression, exp.Window):
            for part in _window_operands(expression):
                yield from Grouping.aggregates_in(part, context)
        elif _is_aggregate(expression, context):
            yield expression
        elif not isinstance(expression, exp.Query):
            for child in expression.iter_expressions():
                yield from Grouping.aggregates_in(child, context)


def _window_operands(node: exp.Expr) -> Iterator[exp.Expr]:
    """What a window call reads; its function itself is no aggregate of the query."""
    yield from (part for key, part in _parts(node) if key != "this")
    if isinstance(node.this, exp.Filter | exp.IgnoreNulls | exp.RespectNulls | exp.WithinGroup):
        yield from _window_operands(node.this)
    else:
        yield from node.this.iter_expressions()


def _parts(node: exp.Expr) -> Iterator[tuple[str, exp.Expr]]:
    for key, value in node.args.items():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, exp.Expr):
                yield key, part


def _is_aggregate(node: exp.Expr, context: Context) -> bool:
    if isinstance(node, exp.Filter | exp.WithinGroup):
        return _is_aggregate(node.this, context)
    if isinstance(node, exp.Grouping):
        return False
    if isinstance(node, exp.AggFunc):
        return True
    named = isinstance(node, exp.Anonymous) and not is_semantic(node)
    return named and node.name.lower() in context.aggregates


def build_aggregate(
    plan: Node,
    expressions: list[exp.Expr],
    group: GroupBy,
    context: Context,
) -> tuple[Node, list[exp.Expr]]:
    """The Aggregate above `plan`, and the expressions reading its columns.

    Raises:
        BindError: an expression reads a column that is neither grouped nor aggregated.
    """
    found = (call for e in expressions for call in Grouping.aggregates_in(e, context))
    calls = list(dict.fromkeys(found))
    keys = list(dict.fromkeys(group.keys))
    if not calls and (not keys or group.sets is not None):
        calls = [exp.Count(this=exp.Star())]  # a relation has a column
    plan, lifted = settle(plan, [*keys, *calls], context)
    split = len(keys)
    types = [*context.types(lifted[:split], plan), *context.types(lifted[split:], plan)]
    names = [context.fresh("key") for _ in keys] + [context.fresh("agg") for _ in calls]
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    whole = Aggregate(Schema(fields), plan, tuple(lifted[:split]), tuple(lifted[split:]))
    by_node = dict(zip([*keys, *calls], names, strict=True))
    result: Node = whole
    if group.sets is not None:
        numbers = _grouping_calls(expressions, keys, context)
        by_node.update({node: name for node, (name, _) in numbers.items()})
        result = _each_set(whole, group.sets, [*numbers.values()], context)
    rewritten = [
        rewrite(e, lambda n: column(by_node[n]) if n in by_node else None) for e in expressions
    ]
    _check_grouped(rewritten, result, context)
    return result, rewritten


Number: TypeAlias = tuple[str, list[int]]
"""A GROUPING call: the name of its column, and the places of the keys that it asks about."""


def _grouping_calls(
    expressions: list[exp.Expr], keys: list[exp.Expr], context: Context
) -> dict[exp.Expr, Number]:
    calls = dict.fromkeys(c for e in expressions for c in e.find_all(exp.Grouping))
    return {
        call: (context.fresh("grouping"), [keys.index(part) for part in call.expressions])
        for call in calls
    }


def _each_set(whole: Aggregate, sets: Sets, numbers: list[Number], context: Context) -> Node:
    """The rows of one aggregate for each grouping set, one below the other."""
    first, *rest = (_one_set(whole, places, numbers) for places in sets)
    result: Node = first
    for other in rest:
        result = Union(result.schema, result, renamed(other, context))
    return result


def _one_set(whole: Aggregate, places: frozenset[int], numbers: list[Number]) -> Node:
    """The aggregate by some of the keys; the others are NULL, and GROUPING tells which."""
    split = len(whole.keys)
    keys = [(i, field) for i, field in enumerate(whole.schema.fields[:split])]
    used = tuple(field for i, field in keys if i in places)
    aggregate = Aggregate(
        Schema(used + whole.schema.fields[split:]),
        whole.input,
        tuple(whole.keys[i] for i in sorted(places)),
        whole.calls,
    )
    values = [column(field.name) if i in places else typed_null(field.type) for i, field in keys]
    calls = [column(field.name) for field in whole.schema.fields[split:]]
    bits = [_grouping(asked, places) for _, asked in numbers]
    added = Schema(tuple(Field(name, "BIGINT") for name, _ in numbers))
    return Project(whole.schema + added, aggregate, (*values, *calls, *bits))


def _grouping(asked: list[int], places: frozenset[int]) -> exp.Expr:
    """A bit for each key, the first the highest: 1 where the key is not grouped by."""
    value = sum((place not in places) << i for i, place in enumerate(reversed(asked)))
    return exp.cast(exp.Literal.number(value), exp.DataType.build("BIGINT", dialect="duckdb"))


def _check_grouped(expressions: list[exp.Expr], aggregate: Node, context: Context) -> None:
    for expression in expressions:
        loose = columns_of(expression) - set(aggregate.schema.names)
        if loose:
            name = min(loose).split(".")[-1]
            text = f"column {name!r} must stand in GROUP BY or inside an aggregate function"
            raise BindError(text, context.sql)
