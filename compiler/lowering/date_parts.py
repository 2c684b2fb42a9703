"""The parts of dates, timestamps and times: EXTRACT, date_part and the functions of their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jaxtyping import Array, Bool, Shaped
from sqlglot import exp

from sqlax.compiler.lowering import calendar
from sqlax.compiler.lowering.convert import (
    INFINITE_DAYS,
    INFINITE_MICROSECONDS,
    MICROSECONDS_PER_DAY,
)
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.plan.schema import Kind
from sqlax.runtime.quotient import quotient
from sqlax.runtime.relation import BITS, Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

Values = Shaped[Array, "*rows"]
Rule = Callable[["Expressions", Any], Typed]
_MINUTE = 60_000_000
_JULIAN_1970 = 2_440_588


def _year(days: Values) -> Values:
    return calendar.date_of(days)[0]


def _quarter(days: Values) -> Values:
    return (calendar.date_of(days)[1] + 2) // 3


def _since_christ(step: int) -> Callable[[Values], Values]:
    """Centuries or millennia: there is none of number 0."""

    def part(days: Values) -> Values:
        year = _year(days)
        before = calendar.quotient(year, step) - 1
        return jnp.where(year > 0, (year - 1) // step + 1, before)

    return part


def _year_and_week(days: Values) -> Values:
    year, week = calendar.iso_year_and_week(days)
    return year * 100 + jnp.where(year > 0, week, -week)


_OF_DAY: dict[str, Callable[[Values], Values]] = {
    "year": _year,
    "month": lambda days: calendar.date_of(days)[1],
    "day": lambda days: calendar.date_of(days)[2],
    "decade": lambda days: calendar.quotient(_year(days), 10),
    "century": _since_christ(100),
    "millennium": _since_christ(1000),
    "quarter": _quarter,
    "dow": lambda days: (days + 4) % 7,
    "isodow": lambda days: calendar.weekday(days) + 1,
    "week": lambda days: calendar.iso_year_and_week(days)[1],
    "isoyear": lambda days: calendar.iso_year_and_week(days)[0],
    "doy": calendar.day_of_year,
    "yearweek": _year_and_week,
    "era": lambda days: (_year(days) > 0).astype(jnp.int64),
}
_OF_TIME: dict[str, Callable[[Values], Values]] = {
    "hour": lambda time: time // (60 * _MINUTE),
    "minute": lambda time: time // _MINUTE % 60,
    "second": lambda time: time % _MINUTE // 1_000_000,
    "millisecond": lambda time: time % _MINUTE // 1000,
    "microsecond": lambda time: time % _MINUTE,
}
_RANGES = {
    "month": (1, 4),
    "day": (1, 8),
    "quarter": (1, 4),
    "dow": (0, 4),
    "isodow": (1, 4),
    "week": (1, 8),
    "doy": (1, 12),
    "era": (0, 1),
    "hour": (0, 8),
    "minute": (0, 8),
    "second": (0, 8),
    "millisecond": (0, 16),
    "microsecond": (0, 28),
}
"""The least value of a part and the bits that its values span."""

_ALIASES = {
    "yr": "year",
    "y": "year",
    "years": "year",
    "yrs": "year",
    "mon": "month",
    "months": "month",
    "mons": "month",
    "days": "day",
    "d": "day",
    "dayofmonth": "day",
    "decades": "decade",
    "centuries": "century",
    "millennia": "millennium",
    "quarters": "quarter",
    "dayofweek": "dow",
    "weekday": "dow",
    "dayofyear": "doy",
    "weeks": "week",
    "w": "week",
    "weekofyear": "week",
    "h": "hour",
    "hr": "hour",
    "hours": "hour",
    "hrs": "hour",
    "m": "minute",
    "min": "minute",
    "minutes": "minute",
    "mins": "minute",
    "s": "second",
    "sec": "second",
    "seconds": "second",
    "secs": "second",
    "ms": "millisecond",
    "milliseconds": "millisecond",
    "msec": "millisecond",
    "us": "microsecond",
    "microseconds": "microsecond",
    "usec": "microsecond",
}


def is_endless(value: Typed) -> Bool[Array, " rows"]:
    """Where a DATE or TIMESTAMP is infinite; never for a TIME."""
    data = value.column.data
    if value.kind is Kind.TIME:
        return jnp.zeros(data.shape, bool)
    return jnp.abs(data) == (INFINITE_DAYS if value.kind is Kind.DATE else INFINITE_MICROSECONDS)


def part_of(value: Typed, unit: str) -> Typed:
    """One part of each moment; of an infinite one NULL.

    Raises:
        NotLowerableError: the type has no such part.
    """
    name = _ALIASES.get(unit.lower(), unit.lower())
    if value.kind not in (Kind.DATE, Kind.TIMESTAMP, Kind.TIME):
        raise NotLowerableError(f"EXTRACT({unit}) from {value.type}")
    valid, data = value.column.valid & ~is_endless(value), value.column.data
    if name == "epoch":
        per_second = 1.0 if value.kind is Kind.DATE else 1e6
        factor = 86_400 if value.kind is Kind.DATE else 1
        seconds = quotient((data * factor).astype(jnp.float64), per_second)
        return Typed(Column(seconds, valid), "DOUBLE")
    day, time = _day_and_time(value)
    if name in _OF_TIME:
        return Typed(_bounded(Column(_OF_TIME[name](time), valid), name, value), "BIGINT")
    if value.kind is Kind.TIME or name not in (*_OF_DAY, "julian"):
        raise NotLowerableError(f"EXTRACT({unit}) from {value.type}")
    if name == "julian":
        fraction = quotient(time.astype(jnp.float64), float(MICROSECONDS_PER_DAY))
        return Typed(Column((day + _JULIAN_1970) + fraction, valid), "DOUBLE")
    return Typed(_bounded(Column(_OF_DAY[name](day), valid), name, value), "BIGINT")


def _bounded(part: Column, name: str, value: Typed) -> Column:
    """The part with its bounds: those of the calendar, and of years those of their dates."""
    if name in _RANGES:
        low, bits = _RANGES[name]
        return replace(part, low=jnp.asarray(low, jnp.int64), bits=bits)
    column = value.column
    if name != "year" or value.kind is not Kind.DATE or column.low is None or column.bits is None:
        return part
    years = (1 << column.bits) // 365 + 2
    bits = next(bits for bits in BITS if years <= 1 << bits)
    return replace(part, low=_year(column.low), bits=bits)


def _day_and_time(value: Typed) -> tuple[Values, Values]:
    data = value.column.data
    if value.kind is Kind.DATE:
        return data, jnp.zeros_like(data)
    return data // MICROSECONDS_PER_DAY, data % MICROSECONDS_PER_DAY


def _extract(self: Expressions, node: exp.Expr) -> Typed:
    return part_of(self.lower(node.expression), node.this.name)


def _date_part(self: Expressions, node: exp.Expr) -> Typed:
    unit, value = node.expressions
    if not isinstance(unit, exp.Literal) or not unit.is_string:
        raise NotLowerableError("DATE_PART of several parts")
    return part_of(self.lower(value), unit.name)


def _named(unit: str) -> Rule:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        value = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
        return part_of(self.lower(value), unit)

    return rule


DATE_PARTS: dict[type[exp.Expr], Rule] = {
    exp.Extract: _extract,
    exp.Year: _named("year"),
    exp.Month: _named("month"),
    exp.Day: _named("day"),
    exp.DayOfMonth: _named("day"),
    exp.Quarter: _named("quarter"),
    exp.Week: _named("week"),
    exp.WeekOfYear: _named("week"),
    exp.DayOfWeek: _named("dow"),
    exp.DayOfWeekIso: _named("isodow"),
    exp.DayOfYear: _named("doy"),
    exp.Hour: _named("hour"),
    exp.Minute: _named("minute"),
    exp.Second: _named("second"),
    exp.TimeToUnix: _named("epoch"),
}
_FUNCTIONS = ("decade", "century", "millennium", "isoyear", "weekday", "yearweek", "era", "julian")
DATE_PARTS_BY_NAME: dict[str, Rule] = {
    "date_part": _date_part,
    "datepart": _date_part,
    **{name: _named(name) for name in (*_FUNCTIONS, "millisecond", "microsecond")},
}
