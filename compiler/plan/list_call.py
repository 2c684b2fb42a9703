"""STRING_AGG and LIST taken apart, under any of their names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from sqlax.compiler.plan.nodes import Aggregate, Node


@dataclass(frozen=True)
class ListCall:
    """An aggregate whose result is all of a group's values.

    Attributes:
        value: what is collected.
        order: the items of ORDER BY inside.
        condition: what FILTER asks for.
        is_distinct: whether equal values are collected once.
        separator: of texts that become one; None where the result is a list.
    """

    value: exp.Expr
    order: tuple[exp.Expr, ...]
    condition: exp.Expr | None
    is_distinct: bool
    separator: exp.Expr | None

    def parts_read(self) -> tuple[exp.Expr, ...]:
        """What the graph computes with; a column that is collected as it is, it only moves."""
        moved = isinstance(self.value, exp.Column) and not self.is_distinct
        condition = () if self.condition is None else (self.condition,)
        return (*self.order, *condition, *(() if moved else (self.value,)))


def list_call(call: exp.Expr) -> ListCall | None:
    """The parts of an aggregate call; None for any other aggregate."""
    condition = call.expression.this if isinstance(call, exp.Filter) else None
    function = call.this if isinstance(call, exp.Filter) else call
    if not isinstance(function, exp.ArrayAgg | exp.GroupConcat):
        return None
    value, order = function.this, ()
    if isinstance(value, exp.Order):
        value, order = value.this, tuple(value.expressions)
    is_distinct = isinstance(value, exp.Distinct)
    if is_distinct:
        (value,) = value.expressions
    separator = None
    if isinstance(function, exp.GroupConcat):
        separator = function.args.get("separator") or exp.Literal.string(",")
    return ListCall(value, order, condition, is_distinct, separator)


def makers(plan: Node) -> Iterator[tuple[str, Aggregate, ListCall]]:
    """What makes lists in a plan: `Field.made`, the node and the call."""
    for node in plan.walk():
        if isinstance(node, Aggregate):
            made = node.schema.fields[len(node.keys) :]
            pairs = zip(made, map(list_call, node.calls), strict=True)
            yield from ((f.made, node, c) for f, c in pairs if f.made is not None and c is not None)
