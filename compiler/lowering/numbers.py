"""Functions of numbers: rounding, roots, powers, logarithms and signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.convert import convert, half_away, single
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.ranges import out_of_range
from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.load import arrow
from sqlax.runtime.quotient import quotient
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

Values = Shaped[Array, " rows"]
Rule = Callable[["Expressions", Any], Typed]
_MOST_DIGITS = 18
_MOST_EXPONENT = 308
_EXACT_POWERS = 23


def _rounding(
    of_float: Callable[[Values], Values], of_exact: Callable[[Values, int], Values]
) -> Rule:
    """ROUND, CEIL, FLOOR or TRUNC, with digits or without.

    Args:
        of_float: the whole number for a float.
        of_exact: the multiple of a step for an integer, in units of that step.
    """

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        value, target = self.lower(node.this), self.type_of(node)
        digits = _digits(self, node)
        if kind_of(target) is Kind.FLOAT and value.kind in (Kind.FLOAT, Kind.INTEGER):
            value = convert(value, target)
            made = _float_to_digits(value.column.data, digits, of_float)
            data = single(made) if target == "FLOAT" else made
            return Typed(Column(data, value.column.valid), target)
        if value.kind not in (Kind.INTEGER, Kind.DECIMAL) or value.kind is not kind_of(target):
            raise NotLowerableError(f"{type(node).__name__.upper()} of type {value.type}")
        data, fits = _exact_to_digits(value, digits or 0, decimal_scale(target), of_exact)
        self.report(value.column.valid & (~fits | out_of_range(data, target)))
        return Typed(Column(data, value.column.valid), target)

    return rule


def _digits(self: Expressions, node: exp.Expr) -> int | None:
    """The constant number of digits; None where there is none."""
    given = node.args.get("decimals")
    if given is None:
        return None
    known = is_constant(given) and self.catalog.constant(given).value
    if not known or not known[0].is_valid or known.type.bit_width > 64:
        raise NotLowerableError("rounding to a variable number of digits")
    return int(arrow.values(known.chunk(0))[0])


def _float_to_digits(
    number: Values, digits: int | None, of_float: Callable[[Values], Values]
) -> Values:
    if digits is None:
        return of_float(number)
    if digits < -_MOST_EXPONENT:
        return jnp.zeros_like(number)
    power = 10.0 ** min(abs(digits), _MOST_EXPONENT)
    made = (
        quotient(of_float(number * power), power)
        if digits >= 0
        else of_float(quotient(number, power)) * power
    )
    return jnp.where(jnp.isfinite(made), made, number)


def _exact_to_digits(
    value: Typed, digits: int, scale: int, of_exact: Callable[[Values, int], Values]
) -> tuple[Values, Values]:
    """The rounded number at the result's scale, and where it fits 64 bits."""
    held = decimal_scale(value.type)
    kept = min(digits, held)
    if held - kept > _MOST_DIGITS or abs(scale - kept) > _MOST_DIGITS:
        raise NotLowerableError(f"rounding to {digits} digits")
    units = value.column.data if kept == held else of_exact(value.column.data, 10 ** (held - kept))
    if scale < kept:
        raise NotLowerableError(f"rounding to {digits} digits")
    factor = 10 ** (scale - kept)
    return units * factor, jnp.abs(units) <= ((1 << 63) - 1) // factor


def _nearest(data: Values, step: int) -> Values:
    whole = jnp.abs(data) // step
    more = jnp.abs(data) - whole * step >= step - step // 2
    return jnp.sign(data) * (whole + more)


def _signum(self: Expressions, node: exp.Expr) -> Typed:
    value, target = self.lower(node.this), self.type_of(node)
    if value.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
        raise NotLowerableError(f"SIGN of type {value.type}")
    data = value.column.data
    sign = (data > 0).astype(jnp.int64) - (data < 0).astype(jnp.int64)
    return Typed(Column(sign, value.column.valid), target)


def _of_double(operation: Callable[[Values], Values]) -> Rule:
    """A function of DOUBLE."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        value, target = self.lower(_argument(node)), self.type_of(node)
        if target != "DOUBLE" or not self.catalog.floats_are_ieee():
            raise NotLowerableError(f"{type(node).__name__.upper()} with the type {target}")
        number = convert(value, target).column
        return Typed(Column(operation(number.data), number.valid), target)

    return rule


def _is_float(test: Callable[[Values], Values]) -> Rule:
    """A property of a float."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        value = self.lower(_argument(node))
        if value.kind is not Kind.FLOAT:
            raise NotLowerableError(f"{type(node).__name__.upper()} of type {value.type}")
        return Typed(Column(test(value.column.data), value.column.valid), "BOOLEAN")

    return rule


def _argument(node: exp.Expr) -> exp.Expr:
    argument = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this
    assert isinstance(argument, exp.Expr)
    return argument


def _of_two(operation: Callable[[Values, Values], Values]) -> Rule:
    """A function of two DOUBLEs."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        if target != "DOUBLE" or not self.catalog.floats_are_ieee():
            raise NotLowerableError(f"{type(node).__name__.upper()} with the type {target}")
        given = (
            node.expressions if isinstance(node, exp.Anonymous) else (node.this, node.expression)
        )
        a, b = (convert(self.lower(item), target).column for item in given)
        return Typed(Column(operation(a.data, b.data), a.valid & b.valid), target)

    return rule


def _log(self: Expressions, node: exp.Expr) -> Typed:
    """LOG(x) is to base 10; LOG(b, x) is LOG(x) / LOG(b)."""
    if node.expression is None:
        return _of_double(_log_10)(self, node)
    for base, operation in (("10", _log_10), ("2", _log_2)):
        if isinstance(node.this, exp.Literal) and node.this.name == base:
            argument = exp.Ln(this=node.expression.copy())
            return _of_double(operation)(self, argument)
    return _of_two(lambda base, number: quotient(_log_10(number), _log_10(base)))(self, node)


def _log_10(number: Values) -> Values:
    """To base 10, exact for powers of ten as the C library's is; else right but for the last bit.

    XLA has the natural logarithm only.
    """
    raw = jnp.log10(number)
    whole = jnp.clip(jnp.round(raw), 0, _EXACT_POWERS - 1)
    power = jnp.asarray([10.0**n for n in range(_EXACT_POWERS)])[whole.astype(jnp.int32)]
    return jnp.where(power == number, whole, raw)


def _log_2(number: Values) -> Values:
    """To base 2, exact for powers of two."""
    raw = jnp.log2(number)
    fraction, exponent = jnp.frexp(number)
    return jnp.where(fraction == 0.5, (exponent - 1).astype(jnp.float64), raw)


def _power(base: Values, exponent: Values) -> Values:
    """As the C library's: XLA would make a constant power into products.

    So the exponent is made to look as if it depended on the row. Of NaN every power is NaN but
    the one of 0.
    """
    return jnp.power(base, jnp.where(jnp.isnan(base), exponent * 2.0, exponent))


NUMBERS: dict[type[exp.Expr], Rule] = {
    exp.Round: _rounding(half_away, _nearest),
    exp.Ceil: _rounding(jnp.ceil, lambda data, step: -((-data) // step)),
    exp.Floor: _rounding(jnp.floor, lambda data, step: data // step),
    exp.Trunc: _rounding(jnp.trunc, lambda data, step: lax.div(data, jnp.full_like(data, step))),
    exp.Sign: _signum,
    exp.Sqrt: _of_double(jnp.sqrt),
    exp.Cbrt: _of_double(jnp.cbrt),
    exp.Ln: _of_double(jnp.log),
    exp.Exp: _of_double(jnp.exp),
    exp.Log: _log,
    exp.Pow: _of_two(_power),
    exp.IsNan: _is_float(jnp.isnan),
    exp.IsInf: _is_float(jnp.isinf),
}
NUMBERS_BY_NAME: dict[str, Rule] = {
    "isfinite": _is_float(jnp.isfinite),
}
