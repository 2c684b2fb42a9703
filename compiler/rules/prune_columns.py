"""Columns that nobody reads are not computed, and models whose answers nobody reads not asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Join,
    Node,
    Project,
    Scan,
    Score,
    Window,
    column,
    columns_of,
)
from sqlax.compiler.plan.render import render
from sqlax.compiler.plan.schema import Schema


def prune_columns(node: Node) -> Node | None:
    """Keep below this node only what it reads.

    Before: ``SELECT a FROM (SELECT *, AI_IF(x) AS p FROM t)``. After: ``SELECT a FROM t``.
    """
    if not isinstance(node, Project | Aggregate):
        return None
    wanted = {name for value in node.expressions() for name in columns_of(value)}
    pruned = node.with_inputs((_pruned(node.inputs[0], wanted),))
    return pruned if pruned != node else None


def _pruned(node: Node, wanted: set[str]) -> Node:
    """The node with at least the wanted columns, in their order."""
    case = _CASES.get(type(node))
    if case is not None:
        return case(node, wanted)
    reads = {name for value in node.expressions() for name in columns_of(value)}
    (child,) = node.inputs
    below = _pruned(child, wanted | reads)
    return replace(node.with_inputs((below,)), schema=below.schema)


def _scan(node: Scan, wanted: set[str]) -> Node:
    names = tuple(name for name in node.schema.names if name in wanted) or node.schema.names[:1]
    if names == node.schema.names:
        return node
    kept = node.schema.select(names)
    return Scan(kept, render(Project(kept, node, tuple(column(name) for name in names))))


def _project(node: Project, wanted: set[str]) -> Node:
    kept = [(f, v) for f, v in node.items() if f.name in wanted] or list(node.items())[:1]
    reads = {name for _, value in kept for name in columns_of(value)}
    below = _pruned(node.input, reads)
    return Project(Schema(tuple(f for f, _ in kept)), below, tuple(v for _, v in kept))


def _score(node: Score, wanted: set[str]) -> Node:
    own = {node.name, node.name + "!"}
    if not own & wanted:
        return _pruned(node.input, wanted)
    reads = {name for value in node.expressions() for name in columns_of(value)}
    below = _pruned(node.input, (wanted - own) | reads)
    answer = node.schema.select((node.name, node.name + "!"))
    return replace(node, schema=below.schema + answer, input=below)


def _join(node: Join, wanted: set[str]) -> Node:
    reads = wanted | {name for value in node.expressions() for name in columns_of(value)}
    sides = [_pruned(side, reads & set(side.schema.names)) for side in node.inputs]
    schema = sides[0].schema + sides[1].schema
    if not set(node.right.schema.names) & set(node.schema.names):
        schema = sides[0].schema  # a semi or anti join
    return replace(node, schema=schema, left=sides[0], right=sides[1])


def _window(node: Window, wanted: set[str]) -> Node:
    first = len(node.input.schema.names)
    added = zip(node.schema.fields[first:], node.calls, strict=True)
    kept = [(f, call) for f, call in added if f.name in wanted]
    reads = {name for _, call in kept for name in columns_of(call)}
    below = _pruned(node.input, wanted | reads)
    if not kept:
        return below
    schema = below.schema + Schema(tuple(f for f, _ in kept))
    return Window(schema, below, tuple(call for _, call in kept))


def _whole(node: Node, wanted: set[str]) -> Node:
    """DISTINCT and GROUP BY read all their columns; what lies below is pruned on its own."""
    return node


_CASES: dict[type[Node], Callable[..., Node]] = {
    Scan: _scan,
    Project: _project,
    Score: _score,
    Join: _join,
    Window: _window,
    Distinct: _whole,
    Aggregate: _whole,
}
