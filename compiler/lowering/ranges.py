"""Where a value leaves the range of a type."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Shaped

from sqlax.compiler.lowering.convert import (
    INFINITE_MICROSECONDS,
    MICROSECONDS_PER_DAY,
    half_away,
    rescale,
    single,
)
from sqlax.compiler.lowering.environment import Typed
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of, value_range

_MOST = (1 << 63) - 1


def does_not_fit(value: Typed, target: str) -> Bool[Array, " rows"] | None:
    """Where CAST to `target` would leave its range; None where no value can."""
    source, kind, data = value.kind, kind_of(target), value.column.data
    if value.type == target:
        return None
    if source is Kind.DATE and kind is Kind.TIMESTAMP:
        return jnp.abs(data) > _MOST // MICROSECONDS_PER_DAY
    if source is Kind.TIMESTAMP and kind in (Kind.DATE, Kind.TIME):
        return jnp.abs(data) == INFINITE_MICROSECONDS
    if source not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        return _flag_does_not_fit(value, target)
    if target == "FLOAT" and source is Kind.FLOAT:
        return jnp.isfinite(data) & ~jnp.isfinite(single(data))
    if kind not in (Kind.INTEGER, Kind.DECIMAL) or _always_fits(value.type, target):
        return None
    held = (source, decimal_scale(value.type))
    return _beyond(data, held, decimal_scale(target), *value_range(target))


def _flag_does_not_fit(value: Typed, target: str) -> Bool[Array, " rows"] | None:
    """Where a BOOLEAN does not fit a DECIMAL, such as 1 in DECIMAL(2,2)."""
    if value.kind is not Kind.BOOLEAN or kind_of(target) is not Kind.DECIMAL:
        return None
    too_much = 10 ** decimal_scale(target) > value_range(target)[1]
    return jnp.asarray(value.column.data & too_much)


def _always_fits(source: str, target: str) -> bool:
    """Whether every number of an exact type is one of another exact type of the same scale."""
    exact = kind_of(source) is not Kind.FLOAT and decimal_scale(source) == decimal_scale(target)
    (least, most), (low, high) = value_range(source), value_range(target)
    return exact and low <= least and most <= high


def _beyond(
    data: Shaped[Array, " rows"], held: tuple[Kind, int], scale: int, least: int, most: int
) -> Bool[Array, " rows"]:
    """Where values, brought from `held` to `scale` digits, do not lie from `least` to `most`."""
    source, digits = held
    if source is Kind.FLOAT:
        rounded = half_away(jnp.multiply(data, 10.0**scale)) if scale else jnp.round(data)
        low = rounded >= float(least) if float(least) == least else rounded > float(least - 1)
        return ~(low & (rounded < float(most + 1)))
    if scale < digits:
        data = rescale(data, digits, scale)
    factor = 10 ** max(0, scale - digits)
    return jnp.logical_or(data > most // factor, data < -(-least // factor))


def out_of_range(value: Shaped[Array, " rows"], type_name: str) -> Bool[Array, " rows"]:
    """Where an int64 result does not fit the integer or DECIMAL type DuckDB gives it."""
    least, most = value_range(type_name)
    return (value < least) | (value > most)
