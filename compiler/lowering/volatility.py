"""Which expressions have one value only, and which may have another one each time."""

from __future__ import annotations

import re

from sqlglot import exp

from sqlax.compiler.plan.catalog import Catalog

_VOLATILE = (
    *(exp.Rand, exp.Uuid, exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp),
    *(exp.Localtime, exp.Localtimestamp),
)
_VOLATILE_NAMES = frozenset({"nextval", "currval", "random", "setseed", "now", "today"}) | {
    *("uuid", "uuidv4", "uuidv7", "gen_random_uuid", "txid_current"),
    *("get_current_time", "get_current_timestamp", "transaction_timestamp"),
    *("current_localtime", "current_localtimestamp"),
}

_MARKS = frozenset({"__semantic", "__subquery"})
"""What stands for a semantic call or a subquery while a plan is built."""


def is_constant(node: exp.Expr) -> bool:
    """Whether DuckDB can evaluate the expression now: nothing in it differs between rows."""
    moving = (exp.Column, exp.Placeholder, exp.Parameter, exp.Query, exp.AggFunc, exp.Window)
    scalar = isinstance(node, exp.Condition | exp.Interval)
    marked = _called(node) & _MARKS
    return scalar and node.find(*moving) is None and not marked and not is_volatile(node)


def is_volatile(node: exp.Expr) -> bool:
    """Whether the value may differ between rows or runs although it reads no column."""
    return node.find(*_VOLATILE) is not None or bool(_called(node) & _VOLATILE_NAMES)


def is_pure(node: exp.Expr, catalog: Catalog) -> bool:
    """Whether a scalar's value follows from its arguments alone; macros are looked into."""
    if is_volatile(node):
        return False
    called = _called(node)
    if not called:
        return True
    impure = catalog.volatile_names() | catalog.aggregate_names() | {"unnest"}
    return not _reached(called, catalog.macros()) & impure


def _called(node: exp.Expr) -> frozenset[str]:
    """Lower-case names of the functions that sqlglot does not know."""
    return frozenset(str(call.this).lower() for call in node.find_all(exp.Anonymous))


def _reached(called: frozenset[str], macros: dict[str, str]) -> frozenset[str]:
    """The names with every word of the macros that they lead to."""
    reached, new = called, called
    while new:
        texts = [macros[name].lower() for name in new if name in macros]
        new = frozenset(word for text in texts for word in re.findall(r"\w+", text)) - reached
        reached |= new
    return reached
