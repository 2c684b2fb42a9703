"""Where a plan reads maps: found by lowering each node that may, over no values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from sqlax.compiler.lowering.check import blank_environment, trace_alone
from sqlax.compiler.lowering.environment import Environment, blank_table
from sqlax.compiler.lowering.maps import NUMBERED, ValueMap
from sqlax.compiler.lowering.support import trace_expression
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Score
from sqlax.compiler.plan.schema import Field
from sqlax.runtime.mapping import MapTable


@dataclass(frozen=True)
class MapSite:
    """A node that reads a map."""

    node: Node
    map: ValueMap


def map_sites(plan: Node, catalog: Catalog) -> tuple[MapSite, ...]:
    """Every map that lowering the plan asks for, inputs before readers, each once a node.

    Cost: a trace of each node that computes with a text, an ENUM or an opaque value.
    """
    sites = (MapSite(node, found) for node in plan.walk() for found in _maps_of(node, catalog))
    return tuple(dict.fromkeys(sites))


def _maps_of(node: Node, catalog: Catalog) -> tuple[ValueMap, ...]:
    if not any(_may_read_map(expression, node) for expression in node.expressions()):
        return ()
    found: list[ValueMap] = []

    def table(wanted: ValueMap) -> MapTable:
        found.append(wanted)
        return blank_table(wanted)

    environment = replace(blank_environment(catalog), table=table)
    _trace(node, catalog, environment)
    return tuple(found)


def _trace(node: Node, catalog: Catalog, environment: Environment) -> None:
    if not isinstance(node, Score):
        trace_alone(node, catalog, environment)
    elif node.guard is not None:
        trace_expression(node.guard, catalog, node.input.schema, environment)


def _may_read_map(expression: exp.Expr, node: Node) -> bool:
    """Whether an expression computes with a numbered column or with a parameter alone."""
    if isinstance(expression, exp.Column | exp.Literal):
        return False
    numbered = {field.name for field in _fields(node) if field.kind in NUMBERED}
    reads = {column.name for column in expression.find_all(exp.Column)}
    return bool(reads & numbered) or expression.find(exp.Placeholder) is not None


def _fields(node: Node) -> Iterator[Field]:
    return (field for child in node.inputs for field in child.schema.fields)
