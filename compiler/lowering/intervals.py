"""INTERVAL values: months, days and microseconds that DuckDB keeps apart.

They exist inside expressions only: a date plus an interval is a timestamp, a comparison is a
BOOLEAN. An INTERVAL column is carried as row numbers, and its parts are maps of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np
import sqlglot
from jaxtyping import Array, Bool, Int
from sqlglot import exp

from sqlax.compiler.lowering.convert import (
    INFINITE_MICROSECONDS,
    MICROSECONDS_PER_DAY,
    convert,
)
from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.maps import NUMBERED, ValueMap, can_be_map
from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.plan.nodes import columns_of
from sqlax.compiler.plan.schema import Kind
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions

_SECOND = 1_000_000
_UNITS = {
    "MICROSECOND": (0, 0, 1),
    "MILLISECOND": (0, 0, 1000),
    "SECOND": (0, 0, _SECOND),
    "MINUTE": (0, 0, 60 * _SECOND),
    "HOUR": (0, 0, 3600 * _SECOND),
    "DAY": (0, 1, 0),
    "WEEK": (0, 7, 0),
    "MONTH": (1, 0, 0),
    "QUARTER": (3, 0, 0),
    "YEAR": (12, 0, 0),
    "DECADE": (120, 0, 0),
    "CENTURY": (1200, 0, 0),
    "MILLENNIUM": (12000, 0, 0),
}
_MAKERS = {
    **{f"to_{unit.lower()}s": unit for unit in _UNITS},
    "to_centuries": "CENTURY",
    "to_millennia": "MILLENNIUM",
}
_PARTS = (
    "date_part('year', {0}) * 12 + date_part('month', {0})",
    "date_part('day', {0})",
    "date_part('hour', {0}) * 3600000000 + date_part('minute', {0}) * 60000000"
    " + date_part('microsecond', {0})",
)
_MOST_PART = (1 << 31) - 1


@dataclass(frozen=True)
class Interval:
    """Intervals by row, int64 each."""

    months: Int[Array, " rows"]
    days: Int[Array, " rows"]
    microseconds: Int[Array, " rows"]
    valid: Bool[Array, " rows"]

    def times(self, sign: int) -> Interval:
        """The interval, or for -1 its opposite."""
        return Interval(self.months * sign, self.days * sign, self.microseconds * sign, self.valid)

    def plus(self, other: Interval) -> Interval:
        """The sum, part by part."""
        return Interval(
            self.months + other.months,
            self.days + other.days,
            self.microseconds + other.microseconds,
            self.valid & other.valid,
        )


def is_interval(self: Expressions, node: exp.Expr) -> bool:
    """Whether DuckDB types an expression as INTERVAL; it is asked only where one may be."""
    if isinstance(node, exp.Column):
        return self.schema[node.name].type == "INTERVAL"
    if isinstance(node, exp.Placeholder):
        return self.environment.parameters[node.name].type == "INTERVAL"
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() in _MAKERS
    made = isinstance(node, exp.Interval | exp.Add | exp.Sub | exp.Neg | exp.Paren | exp.Cast)
    return made and self.type_of(node) == "INTERVAL"


def interval_of(self: Expressions, node: exp.Expr) -> Interval:
    """The parts of an INTERVAL expression.

    Raises:
        NotLowerableError: the graph has no operation for it.
    """
    if isinstance(node, exp.Paren):
        return interval_of(self, node.this)
    if is_constant(node):
        return _constant(self, node)
    if isinstance(node, exp.Column | exp.Placeholder | exp.Cast):
        return _mapped(self, node)
    if isinstance(node, exp.Neg):
        return interval_of(self, node.this).times(-1)
    if isinstance(node, exp.Add | exp.Sub):
        return _sum(self, node, 1 if isinstance(node, exp.Add) else -1)
    return _made(self, node)


def _constant(self: Expressions, node: exp.Expr) -> Interval:
    (value,) = self.catalog.constant(node).value.to_pylist()
    shape = self.relation.mask.shape
    months, days, nanoseconds = value if value is not None else (0, 0, 0)
    given = (months, days, nanoseconds // 1000)
    one, two, three = (jnp.full(shape, part, jnp.int64) for part in given)
    return Interval(one, two, three, jnp.full(shape, value is not None))


def _mapped(self: Expressions, node: exp.Expr) -> Interval:
    """The parts of a column, a parameter or a text, each as a map."""
    names = columns_of(node)
    argument = self.schema[next(iter(names))] if len(names) == 1 else None
    known = argument.kind in NUMBERED if argument is not None else not names
    if not self.uses_maps or not known or not can_be_map(node, self.catalog):
        raise NotLowerableError(f"the INTERVAL {node.sql('duckdb')}")
    trees = [sqlglot.parse_one(p.format(node.sql("duckdb")), dialect="duckdb") for p in _PARTS]
    maps = (ValueMap(tree.sql("duckdb"), argument, "BIGINT", tree) for tree in trees)
    months, days, microseconds = (self.applied(wanted).column for wanted in maps)
    return Interval(months.data, days.data, microseconds.data, months.valid)


def _sum(self: Expressions, node: exp.Expr, sign: int) -> Interval:
    if is_interval(self, node.this) and is_interval(self, node.expression):
        return interval_of(self, node.this).plus(interval_of(self, node.expression).times(sign))
    a, b = self.lower(node.this), self.lower(node.expression)
    moments = (Kind.DATE, Kind.TIMESTAMP)
    if sign != -1 or a.kind not in moments or b.kind not in moments:
        raise NotLowerableError(node.sql("duckdb"))
    return _between(self, self.converted(a, "TIMESTAMP"), self.converted(b, "TIMESTAMP"))


def _between(self: Expressions, a: Typed, b: Typed) -> Interval:
    """The days and microseconds from one timestamp to another; infinity is an error."""
    valid = a.column.valid & b.column.valid
    one, two = a.column.data, b.column.data
    for data in (one, two):
        self.report(valid & (jnp.abs(data) >= INFINITE_MICROSECONDS // 2))
    difference = one - two
    size = jnp.abs(difference)
    days = jnp.sign(difference) * (size // MICROSECONDS_PER_DAY)
    rest = difference - days * MICROSECONDS_PER_DAY
    return Interval(jnp.zeros_like(days), days, rest, valid)


def _made(self: Expressions, node: exp.Expr) -> Interval:
    """`INTERVAL (n) MONTH` or `to_months(n)`, over whole numbers."""
    unit, amount = _unit_and_amount(node)
    if unit not in _UNITS:
        raise NotLowerableError(node.sql("duckdb"))
    value = self.lower(amount)
    if value.kind is not Kind.INTEGER:
        raise NotLowerableError(f"an INTERVAL of {value.type}")
    number, valid = convert(value, "BIGINT").column.data, value.column.valid
    self.report(valid & (jnp.abs(number) > _MOST_PART))
    months, days, microseconds = (number * factor for factor in _UNITS[unit])
    for part in (months, days):
        self.report(valid & (jnp.abs(part) > _MOST_PART))
    return Interval(months, days, microseconds, valid)


def _unit_and_amount(node: exp.Expr) -> tuple[str, exp.Expr]:
    if isinstance(node, exp.Interval) and isinstance(node.args.get("unit"), exp.Var):
        return node.args["unit"].name.upper(), node.this
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        return _MAKERS.get(str(node.this).lower(), ""), node.expressions[0]
    raise NotLowerableError(node.sql("duckdb"))


def compare_intervals(
    self: Expressions, node: exp.Expr, operation: Callable[[Any, Any], Any]
) -> Typed:
    """A comparison as DuckDB has it: a month is 30 days, a day 24 hours.

    DuckDB carries days into months and microseconds into days without borrowing: where the parts
    of one interval differ in sign, the query is left to it.
    """
    a, b = interval_of(self, node.this), interval_of(self, node.expression)
    valid = a.valid & b.valid
    for side in (a, b):
        parts = (side.months, side.days, side.microseconds)
        some_less = jnp.logical_or(parts[0] < 0, (parts[1] < 0) | (parts[2] < 0))
        some_more = jnp.logical_or(parts[0] > 0, (parts[1] > 0) | (parts[2] > 0))
        size = abs(parts[0].astype(np.float64)) * 30 + abs(parts[1].astype(np.float64))
        self.report(valid & ((some_less & some_more) | (size > 1e8)))
    return Typed(Column(operation(_length(a), _length(b)), valid), "BOOLEAN")


def _length(value: Interval) -> Int[Array, " rows"]:
    return (value.months * 30 + value.days) * MICROSECONDS_PER_DAY + value.microseconds
