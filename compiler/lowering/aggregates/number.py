"""COUNT, SUM, AVG and the moments."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall
from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.operators import aggregate, moments
from sqlax.runtime.operators.group import first_of_equal
from sqlax.runtime.relation import Column

Rule = Callable[[AggregateCall], Column]


def _count(call: AggregateCall) -> Column:
    if call.operand is None:
        return aggregate.count(call.groups, call.used)
    if call.distinct:
        return _count_distinct(call, call.operand)
    # Also a value that the device only carries can be counted.
    return aggregate.count(call.groups, call.used & call.lower.carried(call.operand).valid)


def _count_distinct(call: AggregateCall, operand: exp.Expr) -> Column:
    """A tuple counts even where a part of it is NULL."""
    if not isinstance(operand, exp.Tuple):
        return aggregate.count(call.groups, call.value().column.valid)
    columns = tuple(call.lower.orderable(part) for part in operand.expressions)
    return aggregate.count(call.groups, first_of_equal(call.groups, call.used, columns))


def _count_if(call: AggregateCall) -> Column:
    """NULL, as DuckDB has it, for a group without a value."""
    value = convert(call.value(), "BOOLEAN").column
    number = aggregate.count(call.groups, value.valid & value.data)
    return number.only(aggregate.count(call.groups, value.valid).data > 0)


def _sum(call: AggregateCall) -> Column:
    summed, outside = aggregate.total(call.groups, call.summand())
    call.lower.environment.report(outside, call.groups.exists)
    return summed


def _mean(call: AggregateCall) -> Column:
    value = call.value()
    if call.output.kind is not Kind.FLOAT or kind_of(value.type) is Kind.BOOLEAN:
        raise NotLowerableError(f"AVG of type {value.type}")
    return aggregate.mean(call.groups, value.column, 10.0 ** decimal_scale(value.type))


def _double(value: Typed) -> Column:
    return convert(value, "DOUBLE").column


def _finite(call: AggregateCall, made: Column) -> Column:
    """What is not finite is DuckDB's error."""
    outside = made.valid & ~jnp.isfinite(made.data)
    call.lower.environment.report(outside, call.groups.exists)
    return made


def _variance(*, sample: bool) -> Rule:
    def rule(call: AggregateCall) -> Column:
        value = _double(call.value())
        return _finite(call, moments.covariance(call.groups, value, value, sample=sample))

    return rule


def _deviation(*, sample: bool) -> Rule:
    def rule(call: AggregateCall) -> Column:
        made = moments.deviation(call.groups, _double(call.value()), sample=sample)
        return _finite(call, made)

    return rule


def _pair(call: AggregateCall) -> tuple[Column, Column]:
    return _double(call.value()), _double(call.rows_of(call.function.expression))


def _covariance(*, sample: bool) -> Rule:
    def rule(call: AggregateCall) -> Column:
        return _finite(call, moments.covariance(call.groups, *_pair(call), sample=sample))

    return rule


def _correlation(call: AggregateCall) -> Column:
    return moments.correlation(call.groups, *_pair(call))


NUMBER: dict[type[exp.Expr], Rule] = {
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.Variance: _variance(sample=True),
    exp.VariancePop: _variance(sample=False),
    exp.Stddev: _deviation(sample=True),
    exp.StddevSamp: _deviation(sample=True),
    exp.StddevPop: _deviation(sample=False),
    exp.CovarPop: _covariance(sample=False),
    exp.CovarSamp: _covariance(sample=True),
    exp.Corr: _correlation,
}
