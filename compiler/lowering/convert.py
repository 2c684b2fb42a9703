"""Conversions between kinds: what CAST does, and what comparisons do on their own."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Shaped

from sqlax.compiler.lowering.environment import NotLowerableError, Typed, dtype_of_kind
from sqlax.compiler.lowering.written import RANKED
from sqlax.compiler.plan.schema import UNTYPED, Kind, decimal_scale, kind_of, value_range
from sqlax.runtime.quotient import quotient
from sqlax.runtime.relation import Column

MICROSECONDS_PER_DAY = 86_400_000_000
INFINITE_DAYS = (1 << 31) - 1
INFINITE_MICROSECONDS = (1 << 63) - 1
_MOST = (1 << 63) - 1
_MOST_DIGITS = 18
NUMBERS = (Kind.BOOLEAN, Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT)
_UNCHANGED = (Kind.STRING, Kind.DATE, Kind.TIMESTAMP, Kind.TIME)


def convert(value: Typed, target: str) -> Typed:
    """The value as the DuckDB type `target`, rounded as DuckDB's CAST rounds.

    Raises:
        NotLowerableError: the graph does not know this conversion.
    """
    source, kind, column = value.kind, kind_of(target), value.column
    if value.type == target:
        return value
    if value.type in UNTYPED:
        zeros = jnp.zeros(column.data.shape, dtype_of_kind(kind))
        return Typed(Column(zeros, column.valid), target)
    if source is kind and kind in _UNCHANGED:
        return Typed(column, target)
    if source is kind is Kind.INTEGER:
        return Typed(column, target)
    if source in NUMBERS and kind in NUMBERS:
        return Typed(Column(_number(value, target), column.valid), target)
    moved = _moment(column.data, source, kind)
    if moved is None:
        raise NotLowerableError(f"CAST from {value.type} to {target}")
    return Typed(Column(moved, column.valid), target)


def _moment(
    data: Shaped[Array, " rows"], source: Kind, kind: Kind
) -> Shaped[Array, " rows"] | None:
    """DATE as TIMESTAMP, or TIMESTAMP as DATE or TIME; infinity is reported before."""
    if (source, kind) == (Kind.DATE, Kind.TIMESTAMP):
        return data * MICROSECONDS_PER_DAY
    if (source, kind) == (Kind.TIMESTAMP, Kind.DATE):
        return data // MICROSECONDS_PER_DAY
    if (source, kind) == (Kind.TIMESTAMP, Kind.TIME):
        return data % MICROSECONDS_PER_DAY
    return None


def common(a: Typed, b: Typed) -> tuple[Typed, Typed]:
    """Both values as one comparable type."""
    kinds = {a.kind, b.kind}
    if a.type == b.type:
        return a, b
    if a.type in UNTYPED or b.type in UNTYPED:
        target = b.type if a.type in UNTYPED else a.type
        return convert(a, target), convert(b, target)
    if kinds <= set(NUMBERS):
        target = _wider(a.type, b.type, kinds)
        return convert(a, target), convert(b, target)
    if kinds == {Kind.STRING}:
        return a, b
    raise NotLowerableError(f"comparison of {a.type} with {b.type}")


def comparable(a: Typed, b: Typed) -> list[tuple[Column, Column]]:
    """Pairs of columns, most significant first, that compare in order as the two values do.

    Decimals of different scales are compared by whole part and fraction, a timestamp and a date by
    day and time: brought to one scale they might not fit 64 bits.

    Raises:
        NotLowerableError: the device has no order for them.
    """
    if Kind.DECIMAL in (a.kind, b.kind) and _are_exact(a, b):
        digits = max(decimal_scale(a.type), decimal_scale(b.type))
        if _fits_scaled(a, digits) and _fits_scaled(b, digits):
            return [(_scaled(a, digits), _scaled(b, digits))]
        return list(
            zip(_whole_and_fraction(a, digits), _whole_and_fraction(b, digits), strict=True)
        )
    if a.type == b.type == RANKED:
        return [(a.column, b.column)]
    if {a.kind, b.kind} == {Kind.DATE, Kind.TIMESTAMP}:
        return list(zip(_day_and_time(a), _day_and_time(b), strict=True))
    a, b = common(a, b)
    if a.kind is Kind.OPAQUE and a.type not in UNTYPED:
        raise NotLowerableError(f"comparison of {a.type}")
    return [(a.column, b.column)]


def _are_exact(a: Typed, b: Typed) -> bool:
    exact = (Kind.INTEGER, Kind.DECIMAL, Kind.BOOLEAN)
    return a.type != b.type and a.kind in exact and b.kind in exact


def _fits_scaled(value: Typed, digits: int) -> bool:
    """Whether all numbers of the value's type fit 64 bits with so many digits."""
    if value.kind is Kind.BOOLEAN:
        return False
    most = max(map(abs, value_range(value.type)))
    return most * int(10 ** (digits - decimal_scale(value.type))) <= _MOST


def _scaled(value: Typed, digits: int) -> Column:
    """The numbers with so many digits; the column itself where it has them."""
    factor = 10 ** (digits - decimal_scale(value.type))
    if factor == 1:
        return value.column
    return Column(value.column.data.astype(jnp.int64) * factor, value.column.valid)


def _whole_and_fraction(value: Typed, digits: int) -> tuple[Column, Column]:
    """Floor and the rest in units of 10 ** -digits."""
    scale, most = decimal_scale(value.type), _power(digits)
    data, valid = value.column.data.astype(jnp.int64), value.column.valid
    whole = data // _power(scale)
    fraction = (data - whole * _power(scale)) * (most // _power(scale))
    return Column(whole, valid), Column(fraction, valid)


def _day_and_time(value: Typed) -> tuple[Column, Column]:
    """Days since 1970 and microseconds of the day; infinity is the last day of all."""
    data, valid = value.column.data, value.column.valid
    if value.kind is Kind.DATE:
        return Column(data, valid), Column(jnp.zeros_like(data), valid)
    day, time = data // MICROSECONDS_PER_DAY, data % MICROSECONDS_PER_DAY
    endless = jnp.abs(data) == INFINITE_MICROSECONDS
    day = jnp.where(endless, jnp.sign(data) * INFINITE_DAYS, day)
    return Column(day, valid), Column(jnp.where(endless, 0, time), valid)


def _wider(a: str, b: str, kinds: set[Kind]) -> str:
    if Kind.FLOAT in kinds:
        return "DOUBLE" if "DOUBLE" in (a, b) else "FLOAT"
    if Kind.DECIMAL in kinds:
        return f"DECIMAL(38,{max(decimal_scale(a), decimal_scale(b))})"
    return "HUGEINT"


def _number(value: Typed, target: str) -> Shaped[Array, " rows"]:
    source, kind = value.kind, kind_of(target)
    data = value.column.data
    if kind is Kind.BOOLEAN:
        return data != 0
    if kind is Kind.FLOAT:
        return _to_float(value, target)
    if kind is Kind.DECIMAL:
        return _to_decimal(data, source, decimal_scale(value.type), decimal_scale(target))
    if source is Kind.FLOAT:
        return jnp.round(data).astype(jnp.int64)
    return rescale(data.astype(jnp.int64), decimal_scale(value.type), 0)


def _to_float(value: Typed, target: str) -> Shaped[Array, " rows"]:
    data = value.column.data
    if value.kind is Kind.DECIMAL:
        data = quotient(data.astype(jnp.float64), 10.0 ** decimal_scale(value.type))
    if target == "FLOAT":
        return data.astype(jnp.float32).astype(jnp.float64)
    return data.astype(jnp.float64)


def _to_decimal(
    data: Shaped[Array, " rows"], source: Kind, scale: int, target_scale: int
) -> Shaped[Array, " rows"]:
    if source is Kind.FLOAT:
        return half_away(data * 10.0**target_scale).astype(jnp.int64)
    return rescale(data.astype(jnp.int64), scale, target_scale)


def half_away(number: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """The nearest whole float; halves go away from zero, -0.4 becomes -0."""
    whole = jnp.floor(jnp.abs(number))
    more = (jnp.abs(number) - whole >= 0.5).astype(number.dtype)
    return jnp.copysign(whole + more, number)


def _power(digits: int) -> int:
    if digits > _MOST_DIGITS:
        raise NotLowerableError("a DECIMAL beyond 64 bits")
    return int(10**digits)


def rescale(data: Shaped[Array, " rows"], scale: int, target: int) -> Shaped[Array, " rows"]:
    """Scaled integers with another number of digits, half away from zero."""
    if target == scale:
        return data
    if target > scale:
        return jnp.multiply(data, _power(target - scale))
    step = _power(scale - target)
    whole = jnp.abs(data) // step
    more = (jnp.abs(data) - whole * step) >= step - step // 2
    return jnp.multiply(jnp.sign(data), whole + more)


def single(number: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """Rounded to the 32 bits of FLOAT, held in 64."""
    return number.astype(jnp.float32).astype(jnp.float64)
