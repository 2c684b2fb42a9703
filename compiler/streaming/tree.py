"""A plan as a graph: who reads a node, and the plan with some nodes replaced."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from sqlax.compiler.plan.held import as_below
from sqlax.compiler.plan.nodes import Node


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
            done[node] = node if same else as_below(node.with_inputs(inputs))
    return done[plan]
