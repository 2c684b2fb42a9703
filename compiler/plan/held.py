"""How a column is held where it only repeats one from below: as it is held there."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.plan.nodes import Aggregate, Node, Project
from sqlax.compiler.plan.schema import Field, Schema


def as_sql(schema: Schema) -> Schema:
    """The columns as DuckDB gives them: lists are lists, and texts are texts."""
    return Schema(tuple(replace(field, labels=None, made=None) for field in schema.fields))


def as_below(node: Node) -> Node:
    """The node with the columns that it repeats held as its inputs hold them.

    What runs below decides: stored rows hold a set of labels as a plain list.
    """
    schemas = (node.schema, *(child.schema for child in node.inputs))
    if not any(field.labels or field.made for schema in schemas for field in schema.fields):
        return node
    fields = tuple(_as_below(field, place, node) for place, field in enumerate(node.schema.fields))
    return replace(node, schema=Schema(fields))


def _as_below(field: Field, place: int, node: Node) -> Field:
    name = _repeated(field, place, node)
    below = (child.schema[name] for child in node.inputs if name in child.schema)
    held = next(below, field)
    return field.held_as(held)


def _repeated(field: Field, place: int, node: Node) -> str:
    """The input column that a field repeats; empty for what is computed."""
    if not isinstance(node, Project | Aggregate):
        return field.name
    values = node.values if isinstance(node, Project) else (*node.keys, *node.calls)
    return values[place].name if isinstance(values[place], exp.Column) else ""
