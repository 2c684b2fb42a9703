"""Which rule computes an aggregate call."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall, take_apart
from sqlax.compiler.lowering.aggregates.choice import CHOICE
from sqlax.compiler.lowering.aggregates.collection import COLLECTION
from sqlax.compiler.lowering.aggregates.number import NUMBER
from sqlax.compiler.lowering.aggregates.spread import SPREAD
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.plan.schema import Field
from sqlax.runtime.operators.group import Groups
from sqlax.runtime.relation import Column

_RULES: dict[type[exp.Expr], Callable[[AggregateCall], Column]] = {
    **NUMBER,
    **CHOICE,
    **SPREAD,
    **COLLECTION,
}
_TWO_OPERANDS = (exp.ArgMin, exp.ArgMax, exp.CovarPop, exp.CovarSamp, exp.Corr)
_FRACTION = (exp.PercentileCont, exp.PercentileDisc)
_LISTS = (exp.ArrayAgg, exp.GroupConcat)
_ORDERED = (exp.First, exp.Last, exp.AnyValue, *_FRACTION, *_LISTS)
_ORDER_IS_NOTHING = (exp.Count, exp.CountIf, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median)


def aggregate_column(lower: Expressions, groups: Groups, call: exp.Expr, output: Field) -> Column:
    """One aggregate call over all groups.

    Args:
        lower: expressions over the rows that are grouped.
        groups: the groups.
        call: an AggFunc, or one inside FILTER or WITHIN GROUP.
        output: name and DuckDB type of the result.

    Raises:
        NotLowerableError: the graph does not have this aggregate.
    """
    taken = take_apart(lower, groups, call, output)
    rule = _RULES.get(type(taken.function))
    if rule is None or not _is_known(taken):
        raise taken.refuse()
    return rule(taken)


def _is_known(call: AggregateCall) -> bool:
    """Whether the call has no part that its rule does not look at."""
    known = {"this", "big_int"}
    if isinstance(call.function, (*_TWO_OPERANDS, *_FRACTION)):
        known.add("expression")
    if isinstance(call.function, exp.Quantile):
        known.add("quantile")
    if isinstance(call.function, exp.GroupConcat):
        known.add("separator")
    more = {name for name, value in call.function.args.items() if value} - known
    if call.distinct and isinstance(call.function, _TWO_OPERANDS):
        return False
    ordered = isinstance(call.function, (*_ORDERED, *_ORDER_IS_NOTHING))
    return not more and (ordered or not call.order)
