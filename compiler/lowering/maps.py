"""Maps: expressions over one column that DuckDB evaluates once for each value of it.

SQL: ``upper(trim(s)) LIKE 'A%'``. The graph has no operation for it, but the column `s` holds few
distinct values, each with a number. DuckDB evaluates the expression for all of them when a run is
assembled; the graph looks the result up by number. So there is no list of functions: whatever
DuckDB computes from one text, ENUM or nested value can stand in the graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from sqlax.compiler.lowering.volatility import is_pure
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import columns_of
from sqlax.compiler.plan.schema import Field, Kind, Schema

NUMBERED = (Kind.STRING, Kind.ENUM, Kind.OPAQUE)
"""Kinds whose values the device holds as numbers of values that the host knows."""

_NOT_SCALAR = (exp.Query, exp.AggFunc, exp.Window, exp.Star, exp.UDTF, exp.Explode, exp.Unnest)


@dataclass(frozen=True)
class ValueMap:
    """An expression over one numbered column, or over parameters only.

    Attributes:
        text: the expression in DuckDB's SQL.
        argument: the column it reads; None where it reads none.
        type: DuckDB's type of the result.
        expression: the tree of `text`.
    """

    text: str
    argument: Field | None
    type: str
    expression: exp.Expr = field(compare=False)


def argument_of(node: exp.Expr, schema: Schema) -> Field | None:
    """The one numbered column that an expression reads; None where it is no map of one."""
    names = columns_of(node)
    if len(names) != 1 or isinstance(node, exp.Column) or reads_fields(node):
        return None
    (name,) = names
    found = schema[name]
    return found if found.kind in NUMBERED else None


def reads_fields(node: exp.Expr) -> bool:
    """Whether a column is named with its table, as the field of a struct is."""
    return any(column.table for column in node.find_all(exp.Column))


def can_be_map(node: exp.Expr, catalog: Catalog) -> bool:
    """Whether DuckDB can evaluate the expression value by value, apart from the query."""
    scalar = isinstance(node, exp.Condition) and node.find(*_NOT_SCALAR) is None
    return scalar and is_pure(node, catalog)
