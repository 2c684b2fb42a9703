"""Operators in two halves: one over each morsel, and one that merges what those gave.

SQL: ``SELECT g, AVG(x) FROM t GROUP BY g`` is ``SUM(x), COUNT(x)`` by g over each morsel, and
over those rows ``SUM(sums) / SUM(counts)`` by g.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Aggregate, Distinct, Limit, Node, Scan, Sort
from sqlax.compiler.streaming.aggregate import merged_aggregate, partial_aggregate


@dataclass(frozen=True)
class Halves:
    """An operator in two halves.

    Attributes:
        partial: over a morsel.
        merge: the other half over the stored rows of all morsels, with the operator's schema.
        enough: rows of partial results after which no more are needed.
    """

    partial: Node
    merge: Callable[[Scan], Node]
    enough: int | None = None


def halves_of(node: Node, top: Node, catalog: Catalog) -> Halves | None:
    """A node in two halves; None where it cannot be divided.

    Args:
        node: reads `top`, itself or through a sort.
        top: is computed morsel by morsel.
        catalog: gives DuckDB's types.
    """
    if isinstance(node, Distinct):
        return Halves(node, lambda rows: _over(node, rows))
    if isinstance(node, Limit):
        return _limit(node, top)
    return _aggregate(node, catalog) if isinstance(node, Aggregate) else None


def _limit(node: Limit, top: Node) -> Halves | None:
    """The first rows of each morsel, of which the first are taken. A sort is repeated."""
    if node.count is None:
        return None
    count = node.count + node.offset
    partial = replace(node, count=count, offset=0)
    if node.input == top:
        return Halves(partial, lambda rows: _over(node, rows), count)
    sort = node.input
    assert isinstance(sort, Sort), "only a sort may stand between a LIMIT and the rows"
    return Halves(partial, lambda rows: _over(node, _over(sort, rows)))


def _over(node: Node, rows: Node) -> Node:
    """The same step over rows of the same columns."""
    return replace(node.with_inputs((rows,)), schema=rows.schema)


def _aggregate(node: Aggregate, catalog: Catalog) -> Halves | None:
    partial = partial_aggregate(node, catalog)
    if partial is None:
        return None
    return Halves(partial, lambda rows: merged_aggregate(node, rows, catalog))
