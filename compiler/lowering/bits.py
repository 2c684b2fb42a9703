"""Operations on the bits of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.ranges import out_of_range
from sqlax.compiler.plan.schema import Kind, integer_range, is_wide, kind_of
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

_MOST_SHIFT = 62


def _operands(self: Expressions, node: exp.Expr, target: str) -> tuple[Column, Column]:
    if kind_of(target) is not Kind.INTEGER:
        raise NotLowerableError(f"{type(node).__name__.upper()} with the type {target}")
    a = self.converted(self.lower(node.this), target).column
    return a, self.converted(self.lower(node.expression), target).column


def _bitwise(operation: Callable[[Any, Any], Any]) -> Callable[[Expressions, Any], Typed]:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        a, b = _operands(self, node, target)
        return Typed(Column(operation(a.data, b.data), a.valid & b.valid), target)

    return rule


def _not(self: Expressions, node: exp.Expr) -> Typed:
    target, value = self.type_of(node), self.lower(node.this)
    if kind_of(target) is not Kind.INTEGER or (is_wide(target) and target != "HUGEINT"):
        raise NotLowerableError(f"~ with the type {target}")
    least, most = integer_range(target)
    data = value.column.data
    flipped = most - data if least == 0 else jnp.bitwise_not(data)
    return Typed(Column(flipped, value.column.valid), target)


def _left(self: Expressions, node: exp.Expr) -> Typed:
    """`<<`: a negative number, a long way and a lost bit are errors."""
    target = self.type_of(node)
    a, b = _operands(self, node, target)
    valid, way = a.valid & b.valid, jnp.clip(b.data, 0, _MOST_SHIFT)
    data = jnp.left_shift(a.data, way)
    lost = jnp.right_shift(data, way) != a.data
    wrong = lost | (a.data < 0) | (b.data != way) | out_of_range(data, target)
    self.report(valid & wrong)
    return Typed(Column(data, valid), target)


def _right(self: Expressions, node: exp.Expr) -> Typed:
    """`>>`: a way of no or too many bits gives 0."""
    target = self.type_of(node)
    a, b = _operands(self, node, target)
    bits = (1 << 7) if is_wide(target) and target != "UBIGINT" else _bits(target)
    data = jnp.right_shift(a.data, jnp.clip(b.data, 0, 63))
    inside = (b.data >= 0) & (b.data < bits)
    return Typed(Column(jnp.where(inside, data, 0), a.valid & b.valid), target)


def _bits(type_name: str) -> int:
    least, most = integer_range(type_name)
    return 64 if type_name == "UBIGINT" else (most - least).bit_length()


BITS: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.BitwiseAnd: _bitwise(jnp.bitwise_and),
    exp.BitwiseOr: _bitwise(jnp.bitwise_or),
    exp.BitwiseXor: _bitwise(jnp.bitwise_xor),
    exp.BitwiseNot: _not,
    exp.BitwiseLeftShift: _left,
    exp.BitwiseRightShift: _right,
}
