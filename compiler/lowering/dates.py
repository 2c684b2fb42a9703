"""Dates, timestamps and times: moving them by intervals, and cutting them down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering import calendar
from sqlax.compiler.lowering.convert import (
    INFINITE_DAYS,
    INFINITE_MICROSECONDS,
    MICROSECONDS_PER_DAY,
)
from sqlax.compiler.lowering.date_parts import DATE_PARTS, DATE_PARTS_BY_NAME, is_endless
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.intervals import Interval, interval_of, is_interval
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

Values = Shaped[Array, " rows"]
Rule = Callable[["Expressions", Any], Typed]
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP)
_TIME_UNITS = {
    "MICROSECOND": 1,
    "MILLISECOND": 1000,
    "SECOND": 1_000_000,
    "MINUTE": 60_000_000,
    "HOUR": 3_600_000_000,
}
_MONTH_UNITS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_YEAR_UNITS = {"DECADE": 10, "CENTURY": 100, "MILLENNIUM": 1000}


def moved(self: Expressions, node: exp.Expr, target: str, sign: int) -> Typed:
    """A DATE, TIMESTAMP or TIME plus, or for -1 minus, whole days, a TIME or an INTERVAL."""
    a, b = node.this, node.expression
    if sign == 1 and is_interval(self, a):
        a, b = b, a
    if is_interval(self, b):
        return _by_interval(self, self.lower(a), interval_of(self, b).times(sign), target)
    one, two = self.lower(a), self.lower(b)
    if {one.kind, two.kind} == {Kind.DATE, Kind.INTEGER} and target == "DATE":
        return _by_days(self, one, two, sign)
    raise NotLowerableError(f"arithmetic of {one.type} and {two.type}")


def _by_days(self: Expressions, a: Typed, b: Typed, sign: int) -> Typed:
    valid = a.column.valid & b.column.valid
    data = a.column.data + sign * b.column.data
    for days in (a.column.data, b.column.data, data):
        self.report(valid & (jnp.abs(days) >= INFINITE_DAYS))
    return Typed(Column(data, valid), "DATE")


def _by_interval(self: Expressions, value: Typed, by: Interval, target: str) -> Typed:
    valid = value.column.valid & by.valid
    if value.kind is Kind.TIME:
        data = (value.column.data + by.microseconds) % MICROSECONDS_PER_DAY
        return Typed(Column(data, valid), target)
    if value.kind not in _MOMENTS or target != "TIMESTAMP":
        raise NotLowerableError(f"arithmetic of {value.type} and INTERVAL")
    self.report(valid & is_endless(value))
    moment = self.converted(value, "TIMESTAMP").column.data
    day, time = moment // MICROSECONDS_PER_DAY, moment % MICROSECONDS_PER_DAY
    day = calendar.add_months(day, by.months) + by.days
    data = day * MICROSECONDS_PER_DAY + time + by.microseconds
    wide = day.astype(jnp.float64) * MICROSECONDS_PER_DAY + by.microseconds
    self.report(valid & (jnp.abs(wide) > 0.999 * INFINITE_MICROSECONDS))
    return Typed(Column(data, valid), target)


def _trunc(self: Expressions, node: exp.Expr) -> Typed:
    target, value = self.type_of(node), self.lower(node.this)
    unit = _singular(node.args["unit"].name)
    if value.kind not in _MOMENTS or kind_of(target) not in _MOMENTS:
        raise NotLowerableError(f"DATE_TRUNC of {value.type}")
    self.report(value.column.valid & is_endless(value))
    moment = self.converted(value, "TIMESTAMP").column.data
    if unit in _TIME_UNITS:
        data = moment - moment % _TIME_UNITS[unit]
    else:
        data = _first_day(moment // MICROSECONDS_PER_DAY, unit) * MICROSECONDS_PER_DAY
    return self.converted(Typed(Column(data, value.column.valid), "TIMESTAMP"), target)


def _singular(unit: str) -> str:
    return unit.upper().removesuffix("S")


def _first_day(days: Values, unit: str) -> Values:
    """The first day of the week, month, year or more that holds a day."""
    if unit == "DAY":
        return days
    if unit == "WEEK":
        return days - calendar.weekday(days)
    if unit == "ISOYEAR":
        return days - calendar.weekday(days) - 7 * (calendar.iso_year_and_week(days)[1] - 1)
    year, month, _ = calendar.date_of(days)
    if unit in _MONTH_UNITS:
        months = year * 12 + month - 1
        return calendar.month_start(months - (month - 1) % _MONTH_UNITS[unit])
    if unit in _YEAR_UNITS:
        step = _YEAR_UNITS[unit]
        return calendar.month_start(calendar.quotient(year, step) * step * 12)
    raise NotLowerableError(f"DATE_TRUNC to {unit}")


def _last_day(self: Expressions, node: exp.Expr) -> Typed:
    value = self.lower(node.this)
    if value.kind not in _MOMENTS or node.args.get("unit"):
        raise NotLowerableError(f"LAST_DAY of {value.type}")
    valid = value.column.valid & ~is_endless(value)
    year, month, _ = calendar.date_of(_days(value))
    last = calendar.month_start(year * 12 + month) - 1
    return Typed(Column(last, valid), "DATE")


def _days(value: Typed) -> Values:
    data = value.column.data
    return data if value.kind is Kind.DATE else data // MICROSECONDS_PER_DAY


def _make_date(self: Expressions, node: exp.Expr) -> Typed:
    parts = [
        self.lower(node.args[name]) for name in ("year", "month", "day") if node.args.get(name)
    ]
    if len(parts) != 3 or any(part.kind is not Kind.INTEGER for part in parts):
        raise NotLowerableError("MAKE_DATE of these arguments")
    year, month, day = (part.column.data for part in parts)
    valid = parts[0].column.valid & parts[1].column.valid & parts[2].column.valid
    known = (month >= 1) & (month <= 12) & (jnp.abs(year) < 5_000_000)
    month = jnp.where(known, month, 1)
    fits = known & (day >= 1) & (day <= calendar.days_in_month(year, month))
    self.report(valid & ~fits)
    return Typed(Column(calendar.days_of(year, month, day), valid), "DATE")


def _difference(self: Expressions, node: exp.Expr) -> Typed:
    """DATE_DIFF: how many starts of a unit lie between two moments; weeks are of seven days."""
    end, start = self.lower(node.this), self.lower(node.expression)
    unit = _singular(node.args["unit"].name) if node.args.get("unit") else ""
    if end.kind not in _MOMENTS or start.kind not in _MOMENTS:
        raise NotLowerableError(f"DATE_DIFF of {start.type} and {end.type}")
    endless = is_endless(start) | is_endless(end)
    valid = start.column.valid & end.column.valid & ~endless
    if unit == "WEEK":
        weeks = calendar.quotient(_days(end) - _days(start), 7)
        return Typed(Column(weeks, valid), "BIGINT")
    counted = (_count_of(self, value, unit) for value in (end, start))
    return Typed(Column(next(counted) - next(counted), valid), "BIGINT")


def _count_of(self: Expressions, value: Typed, unit: str) -> Values:
    """The number of the unit that holds a moment."""
    if unit in _TIME_UNITS:
        return self.converted(value, "TIMESTAMP").column.data // _TIME_UNITS[unit]
    days = _days(value)
    if unit == "DAY":
        return days
    year, month, _ = calendar.date_of(days)
    if unit in _MONTH_UNITS:
        return (year * 12 + month - 1) // _MONTH_UNITS[unit]
    if unit == "DECADE":
        return calendar.quotient(year, 10)
    raise NotLowerableError(f"DATE_DIFF in {unit}")


DATES: dict[type[exp.Expr], Rule] = {
    exp.TimestampTrunc: _trunc,
    exp.DateTrunc: _trunc,
    exp.LastDay: _last_day,
    exp.DateFromParts: _make_date,
    exp.DateDiff: _difference,
    **DATE_PARTS,
}
DATES_BY_NAME: dict[str, Rule] = {**DATE_PARTS_BY_NAME}
