"""STRING_AGG and LIST: a group's number in the lists that leave the program beside its rows."""

from __future__ import annotations

from collections.abc import Callable

from jaxtyping import Array, Bool
from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall
from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.plan.schema import CARRIED, Kind, is_wide
from sqlax.runtime.operators.collect import collect
from sqlax.runtime.operators.group import first_of_equal
from sqlax.runtime.relation import Column

Rule = Callable[[AggregateCall], Column]
_WITH_A_TEXT = (Kind.STRING, Kind.ENUM, Kind.INTEGER, Kind.BOOLEAN)
"""Kinds whose values Arrow spells as DuckDB does."""


def _list(call: AggregateCall) -> Column:
    """All values, NULL too."""
    return _collected(call, _value(call), call.used)


def _joined(call: AggregateCall) -> Column:
    """The texts that are not NULL; the host puts the separator between them."""
    separator, value = call.function.args.get("separator"), _value(call)
    if separator is not None and not is_constant(separator):
        raise call.refuse()
    return _collected(call, value, call.used & value.valid)


def _value(call: AggregateCall) -> Column:
    """The operand: a column of any type can be moved, everything else must be computed."""
    if call.operand is None:
        raise call.refuse()
    if isinstance(call.operand, exp.Column) and not call.distinct:
        field = call.lower.schema[call.operand.name]
        value, kind, type_name = call.lower.carried(call.operand), field.kind, field.type
    else:
        computed = call.rows_of(call.operand)
        value, kind, type_name = computed.column, computed.kind, computed.type
    is_text = kind in _WITH_A_TEXT and not is_wide(type_name)
    if kind in CARRIED or (isinstance(call.function, exp.GroupConcat) and not is_text):
        raise call.refuse()
    return value


def _collected(call: AggregateCall, value: Column, used: Bool[Array, " rows"]) -> Column:
    if call.distinct:
        used = first_of_equal(call.groups, used, (value,))
    column, lists = collect(call.groups, value, used, call.order)
    call.lower.environment.lists[call.output.made or call.output.name] = lists
    return column


COLLECTION: dict[type[exp.Expr], Rule] = {exp.ArrayAgg: _list, exp.GroupConcat: _joined}
