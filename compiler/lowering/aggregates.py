"""Aggregate calls over groups, with DuckDB's result types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.arithmetic import wrapped
from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.plan.schema import Field, Kind, kind_of
from sqlax.runtime.operators import group
from sqlax.runtime.operators.group import Groups
from sqlax.runtime.relation import Column

_Rule = Callable[[Expressions, Groups, Any, Column, Field], Column]


def aggregate_column(
    lower: Expressions, groups: Groups, keys: tuple[Column, ...], call: exp.Expr, output: Field
) -> Column:
    """One aggregate call over all groups.

    Args:
        lower: expressions over the rows that are grouped.
        groups: the groups.
        keys: the grouping columns, for DISTINCT.
        call: an AggFunc, or a Filter of one.
        output: name and DuckDB type of the result.

    Raises:
        NotLowerableError: the graph does not have this aggregate.
    """
    mask = lower.relation.mask
    if isinstance(call, exp.Filter):
        mask = mask & lower.predicate(call.expression.this)
        call = call.this
    if isinstance(call.this, exp.Distinct):
        return _distinct(lower, keys, call, mask)
    rule = _RULES.get(type(call))
    more = {name for name, value in call.args.items() if value} - {"this", "big_int"}
    if rule is None or more:
        raise NotLowerableError(call.sql("duckdb"))
    if isinstance(call.this, exp.Star) or call.this is None:
        return group.count(groups, mask)
    value = lower.lower(call.this)
    if kind_of(value.type) is Kind.OPAQUE and not isinstance(call, exp.Count):
        raise NotLowerableError(f"{call.sql('duckdb')} of type {value.type}")
    used = Column(value.column.data, value.column.valid & mask)
    return rule(lower, groups, value.type, used, output)


def _distinct(lower: Expressions, keys: tuple[Column, ...], call: exp.Expr, mask: Any) -> Column:
    if not isinstance(call, exp.Count) or len(call.this.expressions) != 1:
        raise NotLowerableError(call.sql("duckdb"))
    value = lower.orderable(call.this.expressions[0])
    used = Column(value.data, value.valid & mask)
    return group.count_distinct(lower.relation.mask, keys, used)


def _count(lower: Expressions, groups: Groups, kind: str, used: Column, output: Field) -> Column:
    return group.count(groups, used.valid)


def _sum(lower: Expressions, groups: Groups, kind: str, used: Column, output: Field) -> Column:
    numbers = Column(used.data.astype(_sum_dtype(output)), used.valid)
    summed = group.total(groups, numbers)
    if output.kind is not Kind.FLOAT:
        wide = group.total(groups, Column(numbers.data.astype(jnp.float64), used.valid))
        lower.environment.report(wrapped(summed.data, wide.data), groups.exists)
    return summed


def _sum_dtype(output: Field) -> Any:
    if output.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        raise NotLowerableError(f"SUM with the type {output.type}")
    return jnp.float64 if output.kind is Kind.FLOAT else jnp.int64


def _mean(lower: Expressions, groups: Groups, kind: str, used: Column, output: Field) -> Column:
    return group.mean(groups, convert(Typed(used, kind), "DOUBLE").column)


def _extreme(largest: bool) -> _Rule:
    def rule(lower: Expressions, groups: Groups, kind: str, used: Column, output: Field) -> Column:
        return group.extreme(groups, used, largest=largest)

    return rule


def _count_if(lower: Expressions, groups: Groups, kind: str, used: Column, output: Field) -> Column:
    return group.count(groups, used.valid & used.data.astype(bool))


_RULES: dict[type[exp.Expr], _Rule] = {
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.Min: _extreme(largest=False),
    exp.Max: _extreme(largest=True),
    exp.LogicalAnd: _extreme(largest=False),
    exp.LogicalOr: _extreme(largest=True),
}
