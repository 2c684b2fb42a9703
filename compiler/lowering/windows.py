"""Window calls that the graph knows: ranks over PARTITION BY and ORDER BY."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.runtime.operators.order import SortKey
from sqlax.runtime.operators.window import rank_rows
from sqlax.runtime.relation import Column

_RANKS = {exp.RowNumber: "row_number", exp.Rank: "rank", exp.DenseRank: "dense_rank"}


def window_column(lower: Expressions, call: exp.Expr) -> Column:
    """The values of one window call, BIGINT.

    Raises:
        NotLowerableError: the graph does not have this window function.
    """
    function = _RANKS.get(type(call.this))
    if function is None or call.this.expressions or call.args.get("spec"):
        raise NotLowerableError(call.sql("duckdb"))
    partition = tuple(lower.orderable(key) for key in call.args.get("partition_by") or [])
    clause = call.args.get("order")
    order = tuple(
        SortKey(
            lower.orderable(item.this),
            bool(item.args.get("desc")),
            bool(item.args.get("nulls_first")),
        )
        for item in (clause.expressions if clause is not None else [])
    )
    return rank_rows(function, lower.relation.mask, partition, order)
