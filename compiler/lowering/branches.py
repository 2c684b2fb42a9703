"""CASE, COALESCE and their kin: the choice between values, and GREATEST and LEAST."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.convert import NUMBERS, convert
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.logic import compare, is_text, read_as, sides
from sqlax.compiler.lowering.ranges import does_not_fit
from sqlax.compiler.plan.schema import UNTYPED, Kind, is_wide, kind_of
from sqlax.runtime.operators.order import order_code
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions


def _choose(condition: Shaped[Array, " rows"], yes: Typed, no: Typed) -> Typed:
    data = jnp.where(condition, yes.column.data, no.column.data)
    return Typed(Column(data, jnp.where(condition, yes.column.valid, no.column.valid)), yes.type)


def _made(self: Expressions, node: exp.Expr, target: str) -> Typed:
    """A value of the result's type, which a text literal takes on."""
    if is_text(node) and kind_of(target) is not Kind.STRING:
        return read_as(self, node, target)
    return self.converted(self.lower(node), target)


def _branches(
    self: Expressions,
    node: exp.Expr,
    clauses: list[tuple[exp.Expr, exp.Expr]],
    default: exp.Expr | None,
) -> Typed:
    target, chosen = self.type_of(node), []
    rest = self
    for condition, value in clauses:
        met = rest.predicate(condition)
        inside = rest.within(met)
        chosen.append((met, _made(inside, value, target)))
        rest = rest.within(~met)
    result = _made(rest, default or exp.Null(), target)
    for met, made in reversed(chosen):
        result = _choose(met, made, result)
    return result


def _case(self: Expressions, node: exp.Expr) -> Typed:
    operand = node.this
    clauses = [
        (
            exp.EQ(this=operand.copy(), expression=i.this.copy()) if operand else i.this,
            i.args["true"],
        )
        for i in node.args["ifs"]
    ]
    return _branches(self, node, clauses, node.args.get("default"))


def _if(self: Expressions, node: exp.Expr) -> Typed:
    return _branches(self, node, [(node.this, node.args["true"])], node.args.get("false"))


def _coalesce(self: Expressions, node: exp.Expr) -> Typed:
    target = self.type_of(node)
    values: list[Typed] = []
    rest = self
    for item in [node.this, *node.expressions]:
        values.append(_made(rest, item, target))
        rest = rest.within(~values[-1].column.valid)
    result = values[-1]
    for value in reversed(values[:-1]):
        result = _choose(value.column.valid, value, result)
    return result


def _nullif(self: Expressions, node: exp.Expr) -> Typed:
    target, (value, other) = self.type_of(node), sides(self, node.this, node.expression)
    same = compare(value, other, jnp.equal).column
    kept = value.column.valid & ~(same.data & same.valid)
    made = self.converted(value, target)
    return Typed(Column(made.column.data, kept), target)


def _extreme(largest: bool) -> Callable[[Expressions, Any], Typed]:
    """GREATEST or LEAST: NULLs do not count, NaN is the greatest number."""

    def rule(self: Expressions, node: exp.Expr) -> Typed:
        target = self.type_of(node)
        if kind_of(target) is Kind.OPAQUE:
            raise NotLowerableError(f"{type(node).__name__.upper()} of type {target}")
        items = [node.this, *node.expressions]
        result, *others = (_made(self, item, target) for item in items)
        for other in others:
            one, two = order_code(result.column.data), order_code(other.column.data)
            better = (one >= two) if largest else (one <= two)
            kept = result.column.valid & (better | ~other.column.valid)
            result = _choose(kept, result, other)
        return result

    return rule


def _cast(self: Expressions, node: exp.Expr) -> Typed:
    target, value = self.type_of(node), self.lower(node.this)
    if isinstance(node, exp.TryCast):
        return _tried(value, target)
    return self.converted(value, target)


def _tried(value: Typed, target: str) -> Typed:
    """TRY_CAST between numbers: NULL where the value does not fit."""
    known = value.kind in NUMBERS and kind_of(target) in NUMBERS
    if not known and value.type not in UNTYPED:
        raise NotLowerableError(f"TRY_CAST from {value.type} to {target}")
    if is_wide(target):
        raise NotLowerableError(f"TRY_CAST to {target}")
    outside, made = does_not_fit(value, target), convert(value, target)
    if outside is None:
        return made
    return Typed(Column(made.column.data, made.column.valid & ~outside), target)


BRANCHES: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Greatest: _extreme(largest=True),
    exp.Least: _extreme(largest=False),
    exp.Cast: _cast,
    exp.TryCast: _cast,
}
