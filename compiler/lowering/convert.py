"""Conversions between kinds: what CAST does, and what comparisons do on their own."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Shaped

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.plan.schema import Kind, decimal_scale, decimal_width, integer_bits, kind_of
from sqlax.runtime.relation import Column

MICROSECONDS_PER_DAY = 86_400_000_000
_MOST = (1 << 63) - 1
_MOST_DIGITS = 18
_NUMBERS = (Kind.BOOLEAN, Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)


def convert(value: Typed, target: str) -> Typed:
    """The value as the DuckDB type `target`, rounded as DuckDB's CAST rounds.

    Raises:
        NotLowerableError: the graph does not know this conversion.
    """
    source, kind = kind_of(value.type), kind_of(target)
    if value.type == target:
        return value
    if value.type in ('"NULL"', "NULL"):
        return Typed(Column(_zeros(value, kind), value.column.valid), target)
    if source in _NUMBERS and kind in _NUMBERS:
        return Typed(Column(_number(value, target), value.column.valid), target)
    if source is Kind.DATE and kind is Kind.TIMESTAMP:
        return Typed(Column(value.column.data * MICROSECONDS_PER_DAY, value.column.valid), target)
    if source is kind and kind in (Kind.STRING, Kind.DATE, Kind.TIMESTAMP):
        return Typed(value.column, target)
    raise NotLowerableError(f"CAST from {value.type} to {target}")


def common(a: Typed, b: Typed) -> tuple[Typed, Typed]:
    """Both values as one comparable type."""
    kinds = {kind_of(a.type), kind_of(b.type)}
    if a.type == b.type:
        return a, b
    for value, other in ((a, b), (b, a)):
        if value.type in ('"NULL"', "NULL"):
            return convert(a, other.type), convert(b, other.type)
    if kinds <= set(_NUMBERS):
        target = _wider(a.type, b.type, kinds)
        return convert(a, target), convert(b, target)
    if kinds == {Kind.DATE, Kind.TIMESTAMP}:
        return convert(a, "TIMESTAMP"), convert(b, "TIMESTAMP")
    if kinds == {Kind.STRING}:
        return a, b
    raise NotLowerableError(f"comparison of {a.type} with {b.type}")


def comparable(a: Typed, b: Typed) -> list[tuple[Column, Column]]:
    """Pairs of columns, most significant first, that compare in order as the two values do.

    Decimals of different scales are compared by whole part and fraction: brought to one scale they
    might not fit 64 bits.

    Raises:
        NotLowerableError: the device has no order for them.
    """
    if Kind.DECIMAL in (kind_of(a.type), kind_of(b.type)) and _are_exact(a, b):
        digits = max(decimal_scale(a.type), decimal_scale(b.type))
        return list(
            zip(_whole_and_fraction(a, digits), _whole_and_fraction(b, digits), strict=True)
        )
    a, b = common(a, b)
    if kind_of(a.type) is Kind.OPAQUE and a.type not in ('"NULL"', "NULL"):
        raise NotLowerableError(f"comparison of {a.type}")
    return [(a.column, b.column)]


def _are_exact(a: Typed, b: Typed) -> bool:
    exact = (Kind.INTEGER, Kind.DECIMAL, Kind.BOOLEAN)
    return a.type != b.type and kind_of(a.type) in exact and kind_of(b.type) in exact


def _whole_and_fraction(value: Typed, digits: int) -> tuple[Column, Column]:
    """Floor and the rest in units of 10 ** -digits."""
    scale, most = decimal_scale(value.type), _power(digits)
    data, valid = value.column.data.astype(jnp.int64), value.column.valid
    whole = data // _power(scale)
    fraction = (data - whole * _power(scale)) * (most // _power(scale))
    return Column(whole, valid), Column(fraction, valid)


def _wider(a: str, b: str, kinds: set[Kind]) -> str:
    if Kind.FLOAT in kinds:
        return "DOUBLE" if "DOUBLE" in (a, b) else "FLOAT"
    if Kind.DECIMAL in kinds:
        return f"DECIMAL(38,{max(decimal_scale(a), decimal_scale(b))})"
    return "HUGEINT"


def _zeros(value: Typed, kind: Kind) -> Shaped[Array, " rows"]:
    dtypes = {Kind.BOOLEAN: jnp.bool_, Kind.FLOAT: jnp.float64, Kind.STRING: jnp.int32}
    return jnp.zeros(value.column.data.shape, dtypes.get(kind, jnp.int64))


def _number(value: Typed, target: str) -> Shaped[Array, " rows"]:
    source, kind = kind_of(value.type), kind_of(target)
    data = value.column.data
    if kind is Kind.BOOLEAN:
        return data != 0
    if kind is Kind.FLOAT:
        scale = 10.0 ** decimal_scale(value.type) if source is Kind.DECIMAL else 1.0
        number = data.astype(jnp.float64) / scale
        return single(number) if target == "FLOAT" else number
    if kind is Kind.DECIMAL:
        return _to_decimal(data, source, decimal_scale(value.type), decimal_scale(target))
    if source is Kind.FLOAT:
        return jnp.round(data).astype(jnp.int64)
    return rescale(data.astype(jnp.int64), decimal_scale(value.type), 0)


def _to_decimal(
    data: Shaped[Array, " rows"], source: Kind, scale: int, target_scale: int
) -> Shaped[Array, " rows"]:
    if source is Kind.FLOAT:
        return jnp.round(data * 10.0**target_scale).astype(jnp.int64)
    return rescale(data.astype(jnp.int64), scale, target_scale)


def _power(digits: int) -> int:
    if digits > _MOST_DIGITS:
        raise NotLowerableError("a DECIMAL beyond 64 bits")
    return int(10**digits)


def rescale(data: Shaped[Array, " rows"], scale: int, target: int) -> Shaped[Array, " rows"]:
    """Scaled integers with another number of digits, half away from zero."""
    if target >= scale:
        return jnp.multiply(data, _power(target - scale))
    step = _power(scale - target)
    away = data + jnp.where(data < 0, -(step // 2), step // 2)
    return jnp.multiply(jnp.sign(away), jnp.abs(away) // step)


def single(number: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """Rounded to the 32 bits of FLOAT, held in 64."""
    return number.astype(jnp.float32).astype(jnp.float64)


def does_not_fit(value: Typed, target: str) -> Bool[Array, " rows"] | None:
    """Where CAST to `target` would leave its range; None where no value can."""
    source, kind = kind_of(value.type), kind_of(target)
    if value.type == target or source not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        return None
    data = value.column.data
    if target == "FLOAT" and source is Kind.FLOAT:
        return jnp.isfinite(data) & ~jnp.isfinite(single(data))
    if kind is Kind.INTEGER:
        most = (1 << (integer_bits(target) - 1)) - 1
        return _beyond(data, (source, decimal_scale(value.type)), 0, -most - 1, most)
    if kind is Kind.DECIMAL:
        most = min(10 ** decimal_width(target) - 1, _MOST)
        place = decimal_scale(target)
        return _beyond(data, (source, decimal_scale(value.type)), place, -most, most)
    return None


def _beyond(
    data: Shaped[Array, " rows"], held: tuple[Kind, int], scale: int, least: int, most: int
) -> Bool[Array, " rows"]:
    """Where values, brought from `held` to `scale` digits, do not lie from `least` to `most`."""
    source, digits = held
    if source is Kind.FLOAT:
        rounded = jnp.round(jnp.multiply(data, 10.0**scale))
        return ~((rounded >= float(least)) & (rounded < float(most + 1)))
    if scale < digits:
        data = rescale(data, digits, scale)
    factor = 10 ** max(0, scale - digits)
    return jnp.logical_or(data > most // factor, data < -(-least // factor))


def out_of_range(value: Shaped[Array, " rows"], type_name: str) -> Bool[Array, " rows"]:
    """Where an int64 result does not fit the integer type DuckDB gives it."""
    bits = integer_bits(type_name)
    if bits >= 64:
        return jnp.zeros(value.shape, bool)
    limit = 1 << (bits - 1)
    return (value < -limit) | (value >= limit)
