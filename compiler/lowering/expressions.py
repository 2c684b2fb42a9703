"""Scalar expressions as array operations, one small function for each kind of tree node."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.arithmetic import ARITHMETIC
from sqlax.compiler.lowering.convert import comparable, convert, does_not_fit
from sqlax.compiler.lowering.environment import Environment, NotLowerableError, Typed
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.schema import Kind, Schema, decimal_scale, kind_of
from sqlax.runtime.operators.order import order_code
from sqlax.runtime.relation import Column, Relation

_EPOCH = dt.date(1970, 1, 1)
_UNTYPED = ('"NULL"', "NULL")


class Expressions:
    """Lowers the expressions over one relation.

    Args:
        relation: the rows.
        schema: types of the relation's columns.
        catalog: gives DuckDB's type of every expression.
        environment: constants, parameters and the place to report overflow.
    """

    def __init__(
        self, relation: Relation, schema: Schema, catalog: Catalog, environment: Environment
    ) -> None:
        self.relation = relation
        self.schema = schema
        self.catalog = catalog
        self.environment = environment

    def lower(self, node: exp.Expr) -> Typed:
        """The values of an expression, one per row slot.

        Raises:
            NotLowerableError: the graph has no operation for it.
        """
        value = self._constant(node) if is_constant(node) else self._computed(node)
        made = not isinstance(node, exp.Column)
        if made and kind_of(value.type) is Kind.OPAQUE and value.type not in _UNTYPED:
            raise NotLowerableError(f"{type(node).__name__.upper()} of type {value.type}")
        return value

    def _computed(self, node: exp.Expr) -> Typed:
        rule = _RULES.get(type(node))
        if rule is None:
            raise NotLowerableError(type(node).__name__.upper())
        return rule(self, node)

    def converted(self, value: Typed, target: str) -> Typed:
        """The value cast to another type; what does not fit it is reported."""
        outside = does_not_fit(value, target)
        if outside is not None:
            self.environment.report(outside & value.column.valid, self.relation.mask)
        return convert(value, target)

    def within(self, condition: Shaped[Array, " rows"]) -> Expressions:
        """The same rows, of which only those with `condition` report that they left a range."""
        rows = self.relation.where(condition)
        return Expressions(rows, self.schema, self.catalog, self.environment)

    def predicate(self, node: exp.Expr) -> Shaped[Array, " rows"]:
        """Where a condition is TRUE; NULL counts as not."""
        value = convert(self.lower(node), "BOOLEAN").column
        return value.data & value.valid

    def orderable(self, node: exp.Expr) -> Column:
        """The values of an expression that is sorted, grouped or joined by.

        Raises:
            NotLowerableError: its type has no order on the device.
        """
        value = self.lower(node)
        if kind_of(value.type) is Kind.OPAQUE:
            raise NotLowerableError(f"ordering or grouping by a value of type {value.type}")
        return value.column

    def type_of(self, node: exp.Expr) -> str:
        """DuckDB's type of an expression over this relation."""
        (found,) = self.catalog.types_of([node], self.schema)
        return found

    def fill(self, value: Any, type_name: str) -> Typed:
        """A constant for every row."""
        shape = self.relation.mask.shape
        if value is None:
            null = Column(jnp.zeros(shape, jnp.int32), jnp.zeros(shape, bool))
            return convert(Typed(null, '"NULL"'), type_name)
        data = self._device_value(value, type_name)
        return Typed(Column(jnp.broadcast_to(data, shape), jnp.ones(shape, bool)), type_name)

    def _device_value(self, value: Any, type_name: str) -> Shaped[Array, ""]:
        kind = kind_of(type_name)
        if kind is Kind.STRING:
            return self.environment.code(value)
        if kind is Kind.OPAQUE:
            raise NotLowerableError(f"a constant of type {type_name}")
        return device_number(value, type_name)

    def _constant(self, node: exp.Expr) -> Typed:
        ((value,),) = self.catalog.rows(f"SELECT {node.sql('duckdb')}")
        return self.fill(value, self.type_of(node))


_VOLATILE = (exp.Rand, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp, exp.Uuid)
_VOLATILE_NAMES = frozenset({"nextval", "currval", "random", "setseed", "now", "today"}) | {
    *("uuid", "uuidv4", "uuidv7", "gen_random_uuid", "txid_current"),
    *("get_current_time", "get_current_timestamp", "transaction_timestamp"),
    *("current_localtime", "current_localtimestamp"),
}


def device_number(value: Any, type_name: str) -> Shaped[Array, ""]:
    """A Python value of a non-text DuckDB type as the scalar the device holds for it."""
    kind = kind_of(type_name)
    if kind is Kind.BOOLEAN:
        return jnp.asarray(value, bool)
    if kind is Kind.FLOAT:
        return jnp.asarray(value, jnp.float64)
    if kind is Kind.DECIMAL:
        value = int(decimal.Decimal(value) * 10 ** decimal_scale(type_name))
    if kind is Kind.TIMESTAMP:
        delta = value - dt.datetime(1970, 1, 1)
        return jnp.asarray(delta // dt.timedelta(microseconds=1), jnp.int64)
    if kind is Kind.DATE:
        return jnp.asarray((value - _EPOCH).days, jnp.int64)
    if abs(value) >= 1 << 63:
        raise NotLowerableError("a number beyond 64 bits")
    return jnp.asarray(value, jnp.int64)


def is_constant(node: exp.Expr) -> bool:
    """Whether DuckDB can evaluate the expression now: nothing in it differs between rows."""
    moving = (exp.Column, exp.Placeholder, exp.Parameter, exp.Query, exp.AggFunc, exp.Window)
    scalar = isinstance(node, exp.Condition | exp.Interval)
    return scalar and node.find(*moving) is None and not is_volatile(node)


def is_volatile(node: exp.Expr) -> bool:
    """Whether the value may differ between rows or runs although it reads no column."""
    named = (call.name.lower() for call in node.find_all(exp.Anonymous))
    return node.find(*_VOLATILE) is not None or any(name in _VOLATILE_NAMES for name in named)


def _column(self: Expressions, node: exp.Expr) -> Typed:
    return Typed(self.relation.columns[node.name], self.schema[node.name].type)


def _placeholder(self: Expressions, node: exp.Expr) -> Typed:
    value = self.environment.parameters[node.name]
    shape = self.relation.mask.shape
    column = Column(
        jnp.broadcast_to(value.column.data, shape), jnp.broadcast_to(value.column.valid, shape)
    )
    return Typed(column, value.type)


def _paren(self: Expressions, node: exp.Expr) -> Typed:
    return self.lower(node.this)


def _boolean(self: Expressions, node: exp.Expr) -> Column:
    return convert(self.lower(node), "BOOLEAN").column


def _and(self: Expressions, node: exp.Expr) -> Typed:
    a, b = _boolean(self, node.this), _boolean(self, node.expression)
    false = (a.valid & ~a.data) | (b.valid & ~b.data)
    return Typed(Column(~false, false | (a.valid & b.valid)), "BOOLEAN")


def _or(self: Expressions, node: exp.Expr) -> Typed:
    a, b = _boolean(self, node.this), _boolean(self, node.expression)
    true = (a.valid & a.data) | (b.valid & b.data)
    return Typed(Column(true, true | (a.valid & b.valid)), "BOOLEAN")


def _not(self: Expressions, node: exp.Expr) -> Typed:
    value = _boolean(self, node.this)
    return Typed(Column(~value.data, value.valid), "BOOLEAN")


def _comparison(operation: Callable[[Any, Any], Any]) -> Callable[[Expressions, Any], Typed]:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        return compare(self.lower(node.this), self.lower(node.expression), operation)

    return rule


def compare(a: Typed, b: Typed, operation: Callable[[Any, Any], Any]) -> Typed:
    """A comparison in SQL order; NULL where either side is."""
    *higher, last = comparable(a, b)
    sign = _sign_of(*last)
    for one, two in reversed(higher):
        more = _sign_of(one, two)
        sign = jnp.where(more != 0, more, sign)
    return Typed(Column(operation(sign, 0), last[0].valid & last[1].valid), "BOOLEAN")


def _sign_of(a: Column, b: Column) -> Shaped[Array, " rows"]:
    """-1, 0 or 1 as the first value is less than, equal to or greater than the second."""
    one, two = order_code(a.data), order_code(b.data)
    return (one > two).astype(jnp.int8) - (one < two).astype(jnp.int8)


def _null_safe(equal: bool) -> Callable[[Expressions, Any], Typed]:
    def rule(self: Expressions, node: exp.Expr) -> Typed:
        a, b = self.lower(node.this), self.lower(node.expression)
        same = compare(a, b, jnp.equal).column
        both_null = ~a.column.valid & ~b.column.valid
        data = (same.data & same.valid) | both_null
        return Typed(Column(data == equal, jnp.ones_like(data)), "BOOLEAN")

    return rule


def _is(self: Expressions, node: exp.Expr) -> Typed:
    value = self.lower(node.this).column
    if isinstance(node.expression, exp.Null):
        return Typed(Column(~value.valid, jnp.ones_like(value.valid)), "BOOLEAN")
    if not isinstance(node.expression, exp.Boolean):
        raise NotLowerableError(node.sql("duckdb"))
    data = value.valid & (value.data.astype(bool) == bool(node.expression.this))
    return Typed(Column(data, jnp.ones_like(data)), "BOOLEAN")


def _in(self: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("query") or node.args.get("unnest") or not node.expressions:
        raise NotLowerableError("IN with a subquery")
    value = self.lower(node.this)
    hits = [compare(value, self.lower(item), jnp.equal).column for item in node.expressions]
    data = hits[0].data & hits[0].valid
    valid = hits[0].valid
    for hit in hits[1:]:
        data, valid = data | (hit.data & hit.valid), valid & hit.valid
    return Typed(Column(data, data | valid), "BOOLEAN")


def _between(self: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("symmetric"):
        raise NotLowerableError("BETWEEN SYMMETRIC")
    low, high = node.args["low"].copy(), node.args["high"].copy()
    value = node.this.copy()
    return _and(
        self,
        exp.And(
            this=exp.GTE(this=value, expression=low),
            expression=exp.LTE(this=value.copy(), expression=high),
        ),
    )


def _choose(condition: Shaped[Array, " rows"], yes: Typed, no: Typed) -> Typed:
    data = jnp.where(condition, yes.column.data, no.column.data)
    return Typed(Column(data, jnp.where(condition, yes.column.valid, no.column.valid)), yes.type)


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
        chosen.append((met, inside.converted(inside.lower(value), target)))
        rest = rest.within(~met)
    result = rest.converted(rest.lower(default or exp.Null()), target)
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
        values.append(rest.converted(rest.lower(item), target))
        rest = rest.within(~values[-1].column.valid)
    result = values[-1]
    for value in reversed(values[:-1]):
        result = _choose(value.column.valid, value, result)
    return result


def _nullif(self: Expressions, node: exp.Expr) -> Typed:
    value = self.lower(node.this)
    same = compare(value, self.lower(node.expression), jnp.equal).column
    kept = value.column.valid & ~(same.data & same.valid)
    return Typed(Column(value.column.data, kept), value.type)


def _cast(self: Expressions, node: exp.Expr) -> Typed:
    if isinstance(node, exp.TryCast):
        raise NotLowerableError("TRY_CAST")
    return self.converted(self.lower(node.this), self.type_of(node))


_RULES: dict[type[exp.Expr], Callable[[Expressions, Any], Typed]] = {
    exp.Column: _column,
    exp.Placeholder: _placeholder,
    exp.Paren: _paren,
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
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Cast: _cast,
    **ARITHMETIC,
}
