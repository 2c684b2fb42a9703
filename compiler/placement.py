"""Where each part of a plan runs: DuckDB below the semantic operators, the graph from there up."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sqlax.compiler.lowering.check import node_obstacle
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Scan, Score
from sqlax.compiler.plan.render import render
from sqlax.errors import UnsupportedError

Mode: TypeAlias = Literal["hybrid", "graph"]


def place(plan: Node, catalog: Catalog, mode: Mode, sql: str) -> Node:
    """The plan with every part that DuckDB runs turned into a scan.

    Args:
        plan: a plan whose scans read tables.
        catalog: gives DuckDB's types.
        mode: `hybrid` gives DuckDB the largest subtrees without semantic operators, `graph` the
            smallest: what the graph cannot compute and the reading of tables.
        sql: the user's text, for error messages.

    Raises:
        UnsupportedError: an operator above a semantic one that the graph does not have.
    """
    if not any(isinstance(node, Score) for node in plan.walk()):
        return _place_plain(plan, catalog, mode)
    reason = node_obstacle(plan, catalog)
    if reason is not None:
        raise UnsupportedError(f"{reason} above a semantic operator cannot be compiled yet", sql)
    return plan.with_inputs(tuple(place(child, catalog, mode, sql) for child in plan.inputs))


def _place_plain(plan: Node, catalog: Catalog, mode: Mode) -> Node:
    if isinstance(plan, Scan):
        return plan
    if mode == "hybrid" or node_obstacle(plan, catalog) is not None:
        return Scan(plan.schema, render(plan))
    return plan.with_inputs(tuple(_place_plain(child, catalog, mode) for child in plan.inputs))
