"""How a node's columns are held: those that only repeat an input's, as the input holds them."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.plan.nodes import Aggregate, Node, Project
from sqlax.compiler.plan.schema import Field, Schema


def held_as_inputs(node: Node) -> Node:
    """The node over inputs that may hold a column in another way: stored rows are plain."""
    if not any(field.labels or field.is_made for field in node.schema.fields):
        return node
    fields = tuple(_as_below(field, place, node) for place, field in enumerate(node.schema.fields))
    return replace(node, schema=Schema(fields))


def _as_below(field: Field, place: int, node: Node) -> Field:
    """A field that is held as the input holds it where it only repeats one."""
    values = node.values if isinstance(node, Project) else ()
    values = node.keys if isinstance(node, Aggregate) else values
    value = values[place] if place < len(values) else None
    name = value.name if isinstance(value, exp.Column) else field.name
    below = (child.schema[name] for child in node.inputs if name in child.schema)
    return field.held_as(next(below, field))
