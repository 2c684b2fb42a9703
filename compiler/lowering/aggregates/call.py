"""One aggregate call taken apart: function, operands, which rows take part, in which order."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Bool
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.plan.schema import Field, Kind, kind_of
from sqlax.runtime.operators.group import Groups, first_of_equal
from sqlax.runtime.operators.order import SortKey
from sqlax.runtime.relation import Column


@dataclass(frozen=True)
class AggregateCall:
    """An aggregate call over the rows of groups.

    Attributes:
        lower: expressions over the rows.
        groups: the groups.
        function: the call itself, such as `exp.Sum`.
        operand: its first operand; None for COUNT(*).
        used: rows that take part: they exist, and FILTER lets them through.
        distinct: whether equal values count once.
        order: ORDER BY inside the call.
        output: name and DuckDB type of the result.
    """

    lower: Expressions
    groups: Groups
    function: exp.Expr
    operand: exp.Expr | None
    used: Bool[Array, " rows"]
    distinct: bool
    order: tuple[SortKey, ...]
    output: Field

    def refuse(self) -> NotLowerableError:
        """The error that names this call."""
        return NotLowerableError(self.function.sql("duckdb"))

    def value(self) -> Typed:
        """The first operand, NULL in rows that take no part.

        Raises:
            NotLowerableError: there is none, or the device cannot compute with its type.
        """
        if self.operand is None:
            raise self.refuse()
        value = self.rows_of(self.operand)
        if self.distinct:
            column = value.column
            first = first_of_equal(self.groups, self.used & column.valid, (column,))
            return Typed(column.only(first), value.type)
        return value

    def summand(self) -> Column:
        """The first operand in the dtype that its sum has: int64 or float64.

        Raises:
            NotLowerableError: there is no sum of its type.
        """
        if self.output.kind not in (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT):
            raise NotLowerableError(f"SUM with the type {self.output.type}")
        value = self.value().column
        dtype = jnp.float64 if self.output.kind is Kind.FLOAT else jnp.int64
        return Column(value.data.astype(dtype), value.valid)

    def rows_of(self, operand: exp.Expr) -> Typed:
        """Any operand, NULL in rows that take no part."""
        value = self.lower.lower(operand)
        if kind_of(value.type) is Kind.OPAQUE:
            raise NotLowerableError(f"{self.function.sql('duckdb')} of type {value.type}")
        return Typed(value.column.only(self.used), value.type)


def take_apart(lower: Expressions, groups: Groups, call: exp.Expr, output: Field) -> AggregateCall:
    """The parts of an aggregate call: an AggFunc, or one inside FILTER or WITHIN GROUP.

    Raises:
        NotLowerableError: the graph has no operation for one of the parts.
    """
    used = lower.relation.mask
    if isinstance(call, exp.Filter):
        used = used & lower.predicate(call.expression.this)
        call = call.this
    if isinstance(call, exp.IgnoreNulls) and isinstance(call.this, exp.AnyValue):
        call = call.this
    operand: exp.Expr | None = call.this
    order: tuple[SortKey, ...] = ()
    if isinstance(call, exp.WithinGroup):
        operand, call = call.expression, _with_operand(call)
    if isinstance(operand, exp.Order):
        order = tuple(_sort_key(lower, item) for item in operand.expressions)
        operand = operand.this if operand.this is not None else call.this
    distinct = isinstance(operand, exp.Distinct)
    if isinstance(operand, exp.Distinct):
        operand = _only(operand.expressions, call)
    if isinstance(operand, exp.Star):
        operand = None
    return AggregateCall(lower, groups, call, operand, used, distinct, order, output)


def _only(operands: list[exp.Expr], call: exp.Expr) -> exp.Expr:
    if len(operands) != 1:
        raise NotLowerableError(call.sql("duckdb"))
    return operands[0]


def _with_operand(call: exp.Expr) -> exp.Expr:
    """`PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)` as a function of `x` and 0.5."""
    items = call.expression.expressions
    value = _only(items, call).this
    made: exp.Expr = type(call.this)(this=value.copy(), expression=call.this.this.copy())
    return made


def _sort_key(lower: Expressions, item: exp.Expr) -> SortKey:
    descending, first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
    return SortKey(lower.orderable(item.this), descending, first)
