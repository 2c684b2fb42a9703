"""Arithmetic with DuckDB's result types; leaving a type's range is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.convert import convert, rescale, single
from sqlax.compiler.lowering.dates import moved
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.ranges import out_of_range
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.quotient import quotient
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

Operation = Callable[[Any, Any], Any]
_INT64_EDGE = float(1 << 63)
_LOWEST = -(1 << 63)
_EXACT = (Kind.INTEGER, Kind.DECIMAL)
_MOMENTS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIME)


def _sum(operation: Operation, sign: int) -> Callable[[Expressions, Any], Typed]:
    """Addition or subtraction."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        if kind_of(target) in _MOMENTS:
            return moved(self, node, target, sign)
        a, b = self.lower(node.this), self.lower(node.expression)
        if a.kind is b.kind is Kind.DATE:
            data = operation(a.column.data, b.column.data)
            return Typed(Column(data, a.column.valid & b.column.valid), target)
        return _result(
            self, _operand(self, a, target), _operand(self, b, target), target, operation
        )

    return rule


def _operand(self: Expressions, value: Typed, target: str) -> Typed:
    """The operand as the result's kind; decimals get the result's scale."""
    if kind_of(target) not in (*_EXACT, Kind.FLOAT):
        raise NotLowerableError(f"arithmetic with the type {target}")
    return self.converted(value, target)


def _result(self: Expressions, a: Typed, b: Typed, target: str, operation: Operation) -> Typed:
    data = operation(a.column.data, b.column.data)
    valid = a.column.valid & b.column.valid
    if target == "FLOAT":
        data = single(data)
    if kind_of(target) is Kind.FLOAT and operation is jnp.multiply:
        data = rounded(data)
    if kind_of(target) is not Kind.FLOAT:
        self.report(_overflows(a, b, data, target, operation) & valid)
    return Typed(Column(data, valid), target)


def _overflows(
    a: Typed, b: Typed, data: Shaped[Array, " rows"], target: str, operation: Operation
) -> Shaped[Array, " rows"]:
    """Where an exact result lies outside its type, or has wrapped around in int64."""
    wide = operation(a.column.data.astype(jnp.float64), b.column.data.astype(jnp.float64))
    return wrapped(data, wide) | out_of_range(data, target)


def rounded(product: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """The product, rounded to float64.

    The CPU's compiler fuses a product with an addition that follows and rounds both at once, which
    DuckDB does not. It cannot look through a selection, and a barrier is gone when it runs.
    """
    return jnp.where(jnp.isnan(product), jnp.nan, product)


def wrapped(data: Shaped[Array, " rows"], wide: Shaped[Array, " rows"]) -> Shaped[Array, " rows"]:
    """Where an int64 result is not what float64 arithmetic gives: then it is off by 2**64."""
    return jnp.abs(wide - data.astype(jnp.float64)) > _INT64_EDGE


def _product(self: Expressions, node: exp.Expr) -> Typed:
    target = self.type_of(node)
    a, b = self.lower(node.this), self.lower(node.expression)
    if kind_of(target) is not Kind.DECIMAL:
        return _result(
            self, _operand(self, a, target), _operand(self, b, target), target, jnp.multiply
        )
    a, b = (v if v.kind is Kind.DECIMAL else convert(v, "DECIMAL(38,0)") for v in (a, b))
    product = _result(self, a, b, target, jnp.multiply)
    scale = decimal_scale(a.type) + decimal_scale(b.type)
    data = rescale(product.column.data, scale, decimal_scale(target))
    return Typed(Column(data, product.column.valid), target)


def _quotient(self: Expressions, node: exp.Expr) -> Typed:
    target = self.type_of(node)
    if kind_of(target) is not Kind.FLOAT or not self.catalog.floats_are_ieee():
        raise NotLowerableError(f"division with the type {target}")
    a, b = convert(self.lower(node.this), target), convert(self.lower(node.expression), target)
    data = quotient(a.column.data, b.column.data)
    valid = a.column.valid & b.column.valid
    return Typed(Column(single(data) if target == "FLOAT" else data, valid), target)


def _whole_quotient(self: Expressions, node: exp.Expr) -> Typed:
    """`//`: of floats it is `/`, of integers it truncates towards zero."""
    if kind_of(self.type_of(node)) is Kind.FLOAT:
        divisor = self.converted(self.lower(node.expression), "DOUBLE").column
        self.report(divisor.valid & (divisor.data == 0))
        return _quotient(self, node)
    return _truncated(self, node, lax.div)


def _remainder(self: Expressions, node: exp.Expr) -> Typed:
    """`%` with the sign of the dividend."""
    target = self.type_of(node)
    if kind_of(target) is not Kind.FLOAT:
        return _truncated(self, node, lax.rem)
    a, b = convert(self.lower(node.this), target), convert(self.lower(node.expression), target)
    data = lax.rem(a.column.data, b.column.data)
    return Typed(Column(data, a.column.valid & b.column.valid), target)


def _truncated(self: Expressions, node: exp.Expr, operation: Operation) -> Typed:
    """`//` or `%` of exact numbers; a zero divisor is an error."""
    target = self.type_of(node)
    if kind_of(target) not in _EXACT:
        raise NotLowerableError(f"{type(node).__name__} with the type {target}")
    a = self.converted(self.lower(node.this), target)
    b = self.converted(self.lower(node.expression), target)
    valid = a.column.valid & b.column.valid
    self.report(valid & (b.column.data == 0))
    divisor = jnp.where(b.column.data == 0, 1, b.column.data)
    data = operation(a.column.data, divisor)
    outside = out_of_range(data, target) | ((data == _LOWEST) & (b.column.data == -1))
    self.report(valid & outside)
    return Typed(Column(data, valid), target)


def _sign(operation: Callable[[Any], Any]) -> Callable[[Expressions, Any], Typed]:
    """Negation or the absolute value; the least integer has neither."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        value = _operand(self, self.lower(node.this), target)
        data, valid = operation(value.column.data), value.column.valid
        if kind_of(target) in _EXACT:
            lowest = value.column.data == _LOWEST
            self.report(valid & (out_of_range(data, target) | lowest))
        return Typed(Column(data, valid), target)

    return rule


ARITHMETIC: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.Add: _sum(jnp.add, 1),
    exp.Sub: _sum(jnp.subtract, -1),
    exp.DateAdd: _sum(jnp.add, 1),
    exp.DateSub: _sum(jnp.subtract, -1),
    exp.Mul: _product,
    exp.Div: _quotient,
    exp.IntDiv: _whole_quotient,
    exp.Mod: _remainder,
    exp.Neg: _sign(jnp.negative),
    exp.Abs: _sign(jnp.abs),
}
