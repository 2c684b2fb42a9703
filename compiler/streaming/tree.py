"""A plan as a graph: who reads a node, and the plan with some nodes replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.plan.nodes import Aggregate, Node, Project
from sqlax.compiler.plan.schema import Field, Schema


def readers_of(plan: Node) -> dict[Node, list[Node]]:
    """The nodes that read each node of a plan."""
    readers: dict[Node, list[Node]] = defaultdict(list)
    for node in dict.fromkeys(plan.walk()):
        for child in dict.fromkeys(node.inputs):
            readers[child].append(node)
    return dict(readers)


def replaced(plan: Node, changes: Mapping[Node, Node]) -> Node:
    """The plan with some nodes replaced, wherever they are read."""
    done = dict(changes)
    for node in plan.walk():
        if node not in done:
            inputs = tuple(done[child] for child in node.inputs)
            same = inputs == node.inputs
            done[node] = node if same else _relabelled(node.with_inputs(inputs))
    return done[plan]


def _relabelled(node: Node) -> Node:
    """The node over inputs that may hold a set of labels as a plain list: stored rows do."""
    if not any(field.labels for field in node.schema.fields):
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
    return replace(field, labels=next((f.labels for f in below), field.labels))
