"""Ternary logic and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.convert import comparable, convert
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.intervals import compare_intervals, is_interval
from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.lowering.written import RANKED
from sqlax.compiler.plan.schema import Kind
from sqlax.errors import SqlaxError
from sqlax.runtime.operators.order import order_code
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

Operation = Callable[[Any, Any], Any]
_FEW = 16
"""So many comparisons are cheaper than a binary search."""


def boolean(self: Expressions, node: exp.Expr) -> Column:
    """A condition as BOOLEAN values."""
    return convert(self.lower(node), "BOOLEAN").column


def both(a: Column, b: Column) -> Typed:
    """AND: FALSE wins over NULL."""
    false = (a.valid & ~a.data) | (b.valid & ~b.data)
    return Typed(Column(~false, false | (a.valid & b.valid)), "BOOLEAN")


def either(a: Column, b: Column) -> Typed:
    """OR: TRUE wins over NULL."""
    true = (a.valid & a.data) | (b.valid & b.data)
    return Typed(Column(true, true | (a.valid & b.valid)), "BOOLEAN")


def _and(self: Expressions, node: exp.Expr) -> Typed:
    return both(boolean(self, node.this), boolean(self, node.expression))


def _or(self: Expressions, node: exp.Expr) -> Typed:
    return either(boolean(self, node.this), boolean(self, node.expression))


def _not(self: Expressions, node: exp.Expr) -> Typed:
    value = boolean(self, node.this)
    return Typed(Column(~value.data, value.valid), "BOOLEAN")


def sides(self: Expressions, a: exp.Expr, b: exp.Expr) -> tuple[Typed, Typed]:
    """Both sides of a comparison; a text literal takes the type of the other side."""
    if is_text(a) and not is_constant(b):
        second, first = sides(self, b, a)
        return first, second
    value = self.lower(a)
    return _matched(self, a, value, b)


def _matched(self: Expressions, a: exp.Expr, value: Typed, b: exp.Expr) -> tuple[Typed, Typed]:
    """The value of `a`, lowered before, and that of `b`; an ENUM beside another type is text."""
    if is_text(b) and value.kind not in (Kind.STRING, Kind.ENUM) and value.type != RANKED:
        return value, read_as(self, b, value.type)
    other = self.lower(b)
    if RANKED in (value.type, other.type):
        return self.ranked(value), self.ranked(other)
    if value.type != other.type:
        value, other = _text_of(self, a, value), _text_of(self, b, other)
    return value, other


def is_text(node: exp.Expr) -> bool:
    """Whether a node is a text literal, whose type follows from where it stands."""
    return isinstance(node, exp.Literal) and node.is_string


def read_as(self: Expressions, text: exp.Expr, type_name: str) -> Typed:
    """A text literal as a value of another type."""
    try:
        return self.lower(exp.Cast(this=text.copy(), to=exp.DataType.build(type_name, "duckdb")))
    except SqlaxError as error:
        raise NotLowerableError(f"{text.sql('duckdb')} as {type_name}") from error


def _text_of(self: Expressions, node: exp.Expr, value: Typed) -> Typed:
    if value.kind is not Kind.ENUM:
        return value
    return self.lower(exp.cast(node.copy(), "VARCHAR"))


def _comparison(operation: Operation) -> Callable[[Expressions, Any], Typed]:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        if isinstance(node.this, exp.Tuple) and isinstance(node.expression, exp.Tuple):
            return _compare_rows(self, node.this, node.expression, operation)
        if is_interval(self, node.this) and is_interval(self, node.expression):
            return compare_intervals(self, node, operation)
        return compare(*sides(self, node.this, node.expression), operation)

    return rule


def compare(a: Typed, b: Typed, operation: Operation) -> Typed:
    """A comparison in SQL order; NULL where either side is."""
    *higher, last = comparable(a, b)
    valid = last[0].valid & last[1].valid
    if not higher and _are_integers(*last):
        return Typed(Column(operation(last[0].data, last[1].data), valid), "BOOLEAN")
    sign = _sign_of(*last)
    for first, second in reversed(higher):
        more = _sign_of(first, second)
        sign = jnp.where(more != 0, more, sign)
    return Typed(Column(operation(sign, 0), valid), "BOOLEAN")


def _are_integers(a: Column, b: Column) -> bool:
    """Whether both are held in one type of integers, whose order is the values' order."""
    return a.data.dtype == b.data.dtype and not jnp.issubdtype(a.data.dtype, jnp.floating)


def _compare_rows(self: Expressions, a: exp.Expr, b: exp.Expr, operation: Operation) -> Typed:
    """`(a, b) < (c, d)`: as DuckDB compares structs, NULL equals NULL and is greatest."""
    sign = jnp.zeros(self.relation.mask.shape, jnp.int8)
    for one, two in reversed(list(zip(a.expressions, b.expressions, strict=True))):
        for first, second in reversed(comparable(*sides(self, one, two))):
            more = jnp.where(first.valid & second.valid, _sign_of(first, second), 0)
            null = second.valid.astype(jnp.int8) - first.valid.astype(jnp.int8)
            more = jnp.where(first.valid & second.valid, more, null)
            sign = jnp.where(more != 0, more, sign)
    return Typed(Column(operation(sign, 0), jnp.ones_like(self.relation.mask)), "BOOLEAN")


def _sign_of(a: Column, b: Column) -> Shaped[Array, " rows"]:
    """-1, 0 or 1 as the first value is less than, equal to or greater than the second."""
    one, two = order_code(a.data), order_code(b.data)
    return (one > two).astype(jnp.int8) - (one < two).astype(jnp.int8)


def _null_safe(equal: bool) -> Callable[[Expressions, Any], Typed]:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        a, b = sides(self, node.this, node.expression)
        same = compare(a, b, jnp.equal).column
        both_null = ~a.column.valid & ~b.column.valid
        data = (same.data & same.valid) | both_null
        return Typed(Column(data == equal, jnp.ones_like(data)), "BOOLEAN")

    return rule


def _is(self: Expressions, node: exp.Expr) -> Typed:
    if isinstance(node.expression, exp.Null):
        value = self.carried(node.this)
        return Typed(Column(~value.valid, jnp.ones_like(value.valid)), "BOOLEAN")
    if not isinstance(node.expression, exp.Boolean):
        raise NotLowerableError(node.sql("duckdb"))
    value = boolean(self, node.this)
    data = value.valid & (value.data == bool(node.expression.this))
    return Typed(Column(data, jnp.ones_like(data)), "BOOLEAN")


def _in(self: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("query") or node.args.get("unnest") or not node.expressions:
        raise NotLowerableError("IN with a subquery")
    self.catalog.remember(item for item in node.expressions if is_constant(item))
    value = self.lower(node.this)
    pairs = [_matched(self, node.this, value, item) for item in node.expressions]
    if len(pairs) > _FEW and _are_codes(pairs) and all(map(is_constant, node.expressions)):
        return _member(value.column, [item.column for _, item in pairs])
    found = compare(*pairs[0], jnp.equal)
    for a, b in pairs[1:]:
        found = either(found.column, compare(a, b, jnp.equal).column)
    return found


def _are_codes(pairs: Sequence[tuple[Typed, Typed]]) -> bool:
    """Whether all values compare as the integers that hold them."""
    kinds = {value.kind for pair in pairs for value in pair}
    return len(kinds) == 1 and kinds <= {Kind.INTEGER, Kind.STRING, Kind.DATE, Kind.ENUM}


def _member(value: Column, items: Sequence[Column]) -> Typed:
    """IN over many constants: a binary search. Cost: O(rows log items)."""
    known = jnp.stack([item.valid[0] for item in items])
    codes = jnp.stack([item.data[0].astype(jnp.int64) for item in items])
    ordered = jnp.sort(jnp.where(known, codes, codes[jnp.argmax(known)]))
    wanted = value.data.astype(jnp.int64)
    place = jnp.minimum(jnp.searchsorted(ordered, wanted), len(items) - 1)
    hit = (ordered[place] == wanted) & jnp.any(known)
    return Typed(Column(hit, value.valid & (hit | jnp.all(known))), "BOOLEAN")


def _between(self: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("symmetric"):
        raise NotLowerableError("BETWEEN SYMMETRIC")
    value, low, high = node.this, node.args["low"], node.args["high"]
    above = exp.GTE(this=value.copy(), expression=low.copy())
    below = exp.LTE(this=value.copy(), expression=high.copy())
    return both(boolean(self, above), boolean(self, below))


LOGIC: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.EQ: _comparison(jnp.equal),
    exp.NEQ: _comparison(jnp.not_equal),
    exp.LT: _comparison(jnp.less),
    exp.LTE: _comparison(jnp.less_equal),
    exp.GT: _comparison(jnp.greater),
    exp.GTE: _comparison(jnp.greater_equal),
    exp.NullSafeEQ: _null_safe(equal=True),
    exp.NullSafeNEQ: _null_safe(equal=False),
    exp.Is: _is,
    exp.In: _in,
    exp.Between: _between,
}
