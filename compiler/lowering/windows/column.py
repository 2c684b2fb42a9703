"""Which rule computes a window call."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.lowering.aggregates import aggregate_column
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.windows.call import Orders, WindowCall
from sqlax.compiler.lowering.windows.clause import is_whole_partition
from sqlax.compiler.lowering.windows.function import AGGREGATES, FUNCTIONS
from sqlax.compiler.plan.schema import Field
from sqlax.runtime.operators.group import group_rows
from sqlax.runtime.relation import Column


def window_columns(
    lower: Expressions, calls: tuple[exp.Expr, ...], outputs: tuple[Field, ...]
) -> dict[str, Column]:
    """The values of the window calls of one node, by output name.

    Args:
        lower: expressions over the node's input.
        calls: the window calls.
        outputs: name and DuckDB type of each result.

    Raises:
        NotLowerableError: the graph does not have a function or a frame.
    """
    orders = Orders(lower)
    pairs = zip(calls, outputs, strict=True)
    return {output.name: _column(orders, call, output) for call, output in pairs}


def _column(orders: Orders, window: exp.Expr, output: Field) -> Column:
    function = window.this.this if isinstance(window.this, exp.Filter) else window.this
    own = isinstance(function, (*FUNCTIONS, exp.IgnoreNulls, exp.RespectNulls))
    ordered = window.args.get("order") is not None and type(function) not in AGGREGATES
    if not own and not ordered and is_whole_partition(window):
        return _of_partition(orders.lower, window, output)
    call = WindowCall.of(orders, window, output)
    rule = {**FUNCTIONS, **AGGREGATES}.get(type(call.function))
    wrong = call.is_filtered and type(call.function) not in AGGREGATES
    ignores = call.skips_nulls and type(call.function) in AGGREGATES
    if rule is None or wrong or ignores:
        raise call.refuse()
    return call.rows.to_rows(rule(call))


def _of_partition(lower: Expressions, window: exp.Expr, output: Field) -> Column:
    """An aggregate over whole partitions: GROUP BY, and each row gets its group's value."""
    partition = tuple(lower.orderable(key) for key in window.args.get("partition_by") or ())
    groups = group_rows(lower.relation.mask, partition)
    made = aggregate_column(lower, groups, window.this, output)
    return made.take(groups.slot_of_row)
