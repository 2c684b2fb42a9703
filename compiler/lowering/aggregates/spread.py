"""MEDIAN and quantiles."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
from jaxtyping import Array, Float, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall
from sqlax.compiler.lowering.convert import single
from sqlax.compiler.lowering.environment import Typed
from sqlax.compiler.lowering.expressions import is_constant
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.runtime.operators import quantile
from sqlax.runtime.relation import Column

Rule = Callable[[AggregateCall], Column]
_CONTINUOUS = (Kind.INTEGER, Kind.FLOAT, Kind.DECIMAL, Kind.DATE, Kind.TIMESTAMP)


def _median(call: AggregateCall) -> Column:
    """The middle value, or the middle of two; of what has no middle the lower one."""
    value = call.value()
    if kind_of(value.type) in _CONTINUOUS:
        return _continuous(call, value, 0.5)
    return quantile.discrete_quantile(call.groups, value.column, 0.5)


def _percentile_cont(call: AggregateCall) -> Column:
    value = call.value()
    if kind_of(value.type) not in _CONTINUOUS:
        raise call.refuse()
    return _continuous(call, value, _fraction(call, call.function.args.get("expression")))


def _percentile_disc(call: AggregateCall) -> Column:
    fraction = _fraction(call, call.function.args.get("expression"))
    column = call.value().column
    return quantile.discrete_quantile(
        call.groups, column, fraction, descending=_is_descending(call)
    )


def _quantile(call: AggregateCall) -> Column:
    fraction = _fraction(call, call.function.args.get("quantile"))
    return quantile.discrete_quantile(call.groups, call.value().column, fraction)


def _fraction(call: AggregateCall, node: exp.Expr | None) -> float:
    """The constant fraction of a quantile; lists and negative ones are DuckDB's."""
    if node is None or not is_constant(node):
        raise call.refuse()
    ((value,),) = call.lower.catalog.rows(f"SELECT {node.sql('duckdb')}")
    if value is None or isinstance(value, list) or not 0 <= value <= 1:
        raise call.refuse()
    return float(value)


def _is_descending(call: AggregateCall) -> bool:
    return any(key.descending for key in call.order)


def _continuous(call: AggregateCall, value: Typed, fraction: float) -> Column:
    """Between the two nearest values, in the result's type."""
    target = call.output.type
    same = kind_of(value.type) is kind_of(target)
    used = value if same else call.lower.converted(value, target)
    low, high, way = quantile.quantile_ends(
        call.groups, used.column, fraction, descending=_is_descending(call)
    )
    return Column(_between(low.data, high.data, way, target), low.valid)


def _between(
    low: Shaped[Array, " groups"],
    high: Shaped[Array, " groups"],
    way: Float[Array, " groups"],
    target: str,
) -> Shaped[Array, " groups"]:
    """DuckDB's formula for each kind of number; equal ends stay as they are."""
    if kind_of(target) is not Kind.FLOAT:
        delta = (high - low).astype(jnp.float64)
        return jnp.trunc(low.astype(jnp.float64) + delta * way).astype(jnp.int64)
    if target == "FLOAT":
        made = single(low + single(high - low) * way)
    else:
        made = low * (1.0 - way) + high * way
    return jnp.where(way == 0.0, low, made)


SPREAD: dict[type[exp.Expr], Rule] = {
    exp.Median: _median,
    exp.PercentileCont: _percentile_cont,
    exp.PercentileDisc: _percentile_disc,
    exp.Quantile: _quantile,
}
