"""Arithmetic and dates with DuckDB's result types; leaving a type's range is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.convert import (
    MICROSECONDS_PER_DAY,
    convert,
    out_of_range,
    rescale,
    single,
)
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

_INT64_EDGE = float(1 << 63)
_LOWEST = -(1 << 63)


def _sum(operation: Callable[[Any, Any], Any]) -> Callable[[Expressions, Any], Typed]:
    """Addition or subtraction."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        a, b = self.lower(node.this), self.lower(node.expression)
        if Kind.DATE in (kind_of(a.type), kind_of(b.type)):
            return _days(a, b, target, operation)
        a, b = _operand(self, a, target), _operand(self, b, target)
        return _result(self, a, b, target, operation)

    return rule


def _days(a: Typed, b: Typed, target: str, operation: Callable[[Any, Any], Any]) -> Typed:
    kinds = (kind_of(a.type), kind_of(b.type))
    known = kinds in ((Kind.DATE, Kind.DATE), (Kind.DATE, Kind.INTEGER), (Kind.INTEGER, Kind.DATE))
    if not known or kind_of(target) not in (Kind.DATE, Kind.INTEGER):
        raise NotLowerableError(f"arithmetic of {a.type} and {b.type}")
    data = operation(a.column.data, b.column.data)
    return Typed(Column(data, a.column.valid & b.column.valid), target)


def _operand(self: Expressions, value: Typed, target: str) -> Typed:
    """The operand as the result's kind; decimals get the result's scale."""
    if kind_of(target) not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        raise NotLowerableError(f"arithmetic with the type {target}")
    return self.converted(value, target)


def _result(
    self: Expressions, a: Typed, b: Typed, target: str, operation: Callable[[Any, Any], Any]
) -> Typed:
    data = operation(a.column.data, b.column.data)
    valid = a.column.valid & b.column.valid
    if target == "FLOAT":
        data = single(data)
    if kind_of(target) is not Kind.FLOAT:
        wide = operation(a.column.data.astype(jnp.float64), b.column.data.astype(jnp.float64))
        outside = wrapped(data, wide) | out_of_range(data, target)
        self.environment.report(outside & valid, self.relation.mask)
    return Typed(Column(data, valid), target)


def wrapped(data: Shaped[Array, " rows"], wide: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """Where an int64 result is not what float64 arithmetic gives: then it is off by 2**64."""
    return jnp.abs(wide - data.astype(jnp.float64)) > _INT64_EDGE


def _product(self: Expressions, node: exp.Expr) -> Typed:
    target = self.type_of(node)
    a, b = self.lower(node.this), self.lower(node.expression)
    if kind_of(target) is not Kind.DECIMAL:
        a, b = _operand(self, a, target), _operand(self, b, target)
        return _result(self, a, b, target, jnp.multiply)
    scaled = [v if kind_of(v.type) is Kind.DECIMAL else convert(v, "DECIMAL(38,0)") for v in (a, b)]
    product = _result(self, scaled[0], scaled[1], target, jnp.multiply)
    scale = decimal_scale(scaled[0].type) + decimal_scale(scaled[1].type)
    data = rescale(product.column.data, scale, decimal_scale(target))
    return Typed(Column(data, product.column.valid), target)


def _quotient(self: Expressions, node: exp.Expr) -> Typed:
    target = self.type_of(node)
    if kind_of(target) is not Kind.FLOAT:
        raise NotLowerableError(f"division with the type {target}")
    a, b = convert(self.lower(node.this), target), convert(self.lower(node.expression), target)
    data = a.column.data / b.column.data
    valid = a.column.valid & b.column.valid
    return Typed(Column(single(data) if target == "FLOAT" else data, valid), target)


def _whole(operation: Callable[[Any, Any], Any]) -> Callable[[Expressions, Any], Typed]:
    """`//` and `%` of integers, truncating towards zero; a zero divisor is an error."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        if kind_of(target) is not Kind.INTEGER:
            raise NotLowerableError(f"{type(node).__name__} with the type {target}")
        a, b = convert(self.lower(node.this), target), convert(self.lower(node.expression), target)
        valid = a.column.valid & b.column.valid
        self.environment.report(valid & (b.column.data == 0), self.relation.mask)
        divisor = jnp.where(b.column.data == 0, 1, b.column.data)
        data = operation(a.column.data, divisor)
        outside = out_of_range(data, target) | ((data == _LOWEST) & (b.column.data == -1))
        self.environment.report(valid & outside, self.relation.mask)
        return Typed(Column(data, valid), target)

    return rule


def _sign(operation: Callable[[Any], Any]) -> Callable[[Expressions, Any], Typed]:
    """Negation or the absolute value; the least integer has neither."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        value = _operand(self, self.lower(node.this), target)
        data, valid = operation(value.column.data), value.column.valid
        if kind_of(target) is Kind.INTEGER:
            outside = out_of_range(data, target) | (data == _LOWEST)
            self.environment.report(valid & outside, self.relation.mask)
        return Typed(Column(data, valid), target)

    return rule


def _date_part(self: Expressions, node: exp.Expr) -> Typed:
    unit = node.this.name if isinstance(node, exp.Extract) else type(node).__name__
    value = self.lower(node.expression if isinstance(node, exp.Extract) else node.this)
    part = _CALENDAR.get(unit.upper())
    if part is None or kind_of(value.type) not in (Kind.DATE, Kind.TIMESTAMP):
        raise NotLowerableError(f"EXTRACT({unit}) from {value.type}")
    days = value.column.data
    if kind_of(value.type) is Kind.TIMESTAMP:
        days = days // MICROSECONDS_PER_DAY
    return Typed(Column(calendar(days)[part], value.column.valid), "BIGINT")


_CALENDAR = {"YEAR": 0, "MONTH": 1, "DAY": 2}


def calendar(days: Shaped[Array, " rows"]) -> tuple[Shaped[Array, " rows"], ...]:
    """Year, month and day of days since 1970-01-01 in the proleptic Gregorian calendar.

    Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
    """
    shifted = days.astype(jnp.int64) + 719_468
    era = shifted // 146_097
    day_of_era = shifted - era * 146_097
    leap = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = jnp.where(month_from_march < 10, month_from_march + 3, month_from_march - 9)
    year = year_of_era + era * 400 + (month <= 2).astype(jnp.int64)
    return year, month, day


ARITHMETIC: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.Add: _sum(jnp.add),
    exp.Sub: _sum(jnp.subtract),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.IntDiv: _whole(lax.div),
    exp.Mod: _whole(lax.rem),
    exp.Neg: _sign(jnp.negative),
    exp.Abs: _sign(jnp.abs),
    exp.Extract: _date_part,
    exp.Year: _date_part,
    exp.Month: _date_part,
    exp.Day: _date_part,
}
