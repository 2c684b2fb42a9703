"""Window functions by their SQL: ranks, values of other rows, aggregates of frames."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array
from sqlglot import exp

from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.windows.call import WindowCall
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.operators import window
from sqlax.runtime.relation import Column

Rule = Callable[[WindowCall], Column]


def _rank(name: str) -> Rule:
    def rule(call: WindowCall) -> Column:
        call.only_reads()
        data = window.RANKS[name](call.rows)
        return Column(data, jnp.ones(data.shape, bool))

    return rule


def _ntile(call: WindowCall) -> Column:
    call.only_reads("this")
    tiles = call.whole("this")
    if tiles is None or tiles < 1:
        raise call.refuse()
    data = window.tile_number(call.rows, tiles)
    return Column(data, jnp.ones(data.shape, bool))


def _neighbour(sign: int) -> Rule:
    """LAG and LEAD: the frame does not matter."""

    def rule(call: WindowCall) -> Column:
        call.only_reads("this", "offset", "default")
        value, offset = call.operand(call.function.this), call.whole("offset", 1)
        if offset is None:
            raise call.refuse()
        if offset == 0:
            return value.column
        found, exists = window.neighbour(
            call.rows, value.column, sign * offset, skips_nulls=call.skips_nulls
        )
        return found if not call.function.args.get("default") else _or_default(call, found, exists)

    return rule


def _or_default(call: WindowCall, found: Column, exists: Array) -> Column:
    default = call.lower.converted(
        call.lower.lower(call.function.args["default"]), call.output.type
    )
    other = call.rows.to_places(default.column)
    data = jnp.where(exists, found.data, other.data)
    return Column(data, jnp.where(exists, found.valid, other.valid))


def _nth_value(call: WindowCall) -> Column:
    call.only_reads("this", "offset")
    value, n = call.operand(call.function.this).column, call.whole("offset")
    if n is None or n < 1:
        return call.null(value)
    return window.nth_value(call.frame(), value, n, skips_nulls=call.skips_nulls)


def _first_value(call: WindowCall) -> Column:
    call.only_reads("this")
    skips = call.skips_nulls or isinstance(call.function, exp.AnyValue)
    value = call.operand(call.function.this).column
    return window.nth_value(call.frame(), value, 1, skips_nulls=skips)


def _last_value(call: WindowCall) -> Column:
    call.only_reads("this")
    value = call.operand(call.function.this).column
    return window.end_value(call.frame(), value, skips_nulls=call.skips_nulls)


def _count(call: WindowCall) -> Column:
    call.only_reads("this")
    operand, counted = call.function.this, call.used
    if operand is not None and not isinstance(operand, exp.Star):
        if isinstance(operand, exp.Distinct | exp.Order):
            raise call.refuse()
        counted = counted & call.lower.carried(operand).valid
    return window.number(call.frame(), counted[call.rows.permutation])


def _count_if(call: WindowCall) -> Column:
    value, frame = _boolean(call), call.frame()
    some = window.number(frame, value.valid).data > 0
    return window.number(frame, value.valid & value.data).only(some)


def _boolean(call: WindowCall) -> Column:
    call.only_reads("this")
    return convert(call.operand(call.function.this), "BOOLEAN").column


def _number(call: WindowCall) -> Typed:
    call.only_reads("this")
    value = call.operand(call.function.this)
    if call.output.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        raise NotLowerableError(f"{call.window.sql('duckdb')} with the type {call.output.type}")
    return value


def _sum(call: WindowCall) -> Column:
    value = _number(call).column
    dtype = jnp.float64 if call.output.kind is Kind.FLOAT else jnp.int64
    summed, outside = window.total(call.frame(), Column(value.data.astype(dtype), value.valid))
    live = call.lower.relation.mask[call.rows.permutation]
    call.lower.environment.report(outside, live)
    return summed


def _mean(call: WindowCall) -> Column:
    value = _number(call)
    if call.output.kind is not Kind.FLOAT or kind_of(value.type) is Kind.BOOLEAN:
        raise call.refuse()
    return window.mean(call.frame(), value.column, 10.0 ** decimal_scale(value.type))


def _extreme(*, largest: bool) -> Rule:
    def rule(call: WindowCall) -> Column:
        call.only_reads("this")
        value = call.operand(call.function.this).column
        return window.smallest(call.frame(), value, largest=largest)

    return rule


def _all_or_any(*, largest: bool) -> Rule:
    def rule(call: WindowCall) -> Column:
        return window.smallest(call.frame(), _boolean(call), largest=largest)

    return rule


FUNCTIONS: dict[type[exp.Expr], Rule] = {
    exp.RowNumber: _rank("row_number"),
    exp.Rank: _rank("rank"),
    exp.DenseRank: _rank("dense_rank"),
    exp.PercentRank: _rank("percent_rank"),
    exp.CumeDist: _rank("cume_dist"),
    exp.Ntile: _ntile,
    exp.Lag: _neighbour(-1),
    exp.Lead: _neighbour(1),
    exp.FirstValue: _first_value,
    exp.First: _first_value,
    exp.AnyValue: _first_value,
    exp.LastValue: _last_value,
    exp.Last: _last_value,
    exp.NthValue: _nth_value,
}
"""Functions for which FILTER is an error or no matter."""

AGGREGATES: dict[type[exp.Expr], Rule] = {
    exp.Count: _count,
    exp.CountIf: _count_if,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.Min: _extreme(largest=False),
    exp.Max: _extreme(largest=True),
    exp.LogicalAnd: _all_or_any(largest=False),
    exp.LogicalOr: _all_or_any(largest=True),
}
