"""Aggregates that choose one of a group's rows: MIN, MAX, FIRST, LAST, ARG_MIN and their kin."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall
from sqlax.compiler.lowering.convert import convert
from sqlax.runtime.operators import aggregate
from sqlax.runtime.operators.order import sort_permutation
from sqlax.runtime.relation import Column

Rule = Callable[[AggregateCall], Column]


def _extreme(*, largest: bool) -> Rule:
    def rule(call: AggregateCall) -> Column:
        return aggregate.extreme(call.groups, call.value().column, largest=largest)

    return rule


def _all_or_any(*, largest: bool) -> Rule:
    def rule(call: AggregateCall) -> Column:
        value = convert(call.value(), "BOOLEAN").column
        return aggregate.extreme(call.groups, value, largest=largest)

    return rule


def _end(*, last: bool, skips_nulls: bool) -> Rule:
    """FIRST, LAST and ANY_VALUE, in the order of the rows or of ORDER BY."""

    def rule(call: AggregateCall) -> Column:
        # DISTINCT changes nothing: of equal values any may be the one at the end.
        value = call.rows_of(call.operand).column if call.operand is not None else _none(call)
        order = sort_permutation(call.order, call.used) if call.order else None
        used = value.valid if skips_nulls else call.used
        row, found = aggregate.end_row(call.groups, used, order, last=last)
        return aggregate.row_values(value, row, found)

    return rule


def _none(call: AggregateCall) -> Column:
    raise call.refuse()


def _arg_extreme(*, largest: bool) -> Rule:
    """The first row with the extreme of the second operand, where neither is NULL."""

    def rule(call: AggregateCall) -> Column:
        value, by = call.value().column, call.rows_of(call.function.expression).column
        chosen = aggregate.best_row(call.groups, by, value.valid, largest=largest)
        return aggregate.row_values(value, *chosen)

    return rule


CHOICE: dict[type[exp.Expr], Rule] = {
    exp.Min: _extreme(largest=False),
    exp.Max: _extreme(largest=True),
    exp.LogicalAnd: _all_or_any(largest=False),
    exp.LogicalOr: _all_or_any(largest=True),
    exp.First: _end(last=False, skips_nulls=False),
    exp.Last: _end(last=True, skips_nulls=False),
    exp.AnyValue: _end(last=False, skips_nulls=True),
    exp.ArgMin: _arg_extreme(largest=False),
    exp.ArgMax: _arg_extreme(largest=True),
}
