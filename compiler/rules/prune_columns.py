"""Columns that nobody reads are not computed, and models whose answers nobody reads not asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from sqlglot import exp

from sqlax.compiler.plan.nodes import (
    KEEPS_LEFT_ONLY,
    Aggregate,
    Distinct,
    Join,
    JoinKind,
    Node,
    Project,
    Scan,
    Score,
    Union,
    Unnest,
    Window,
    column,
    columns_of,
)
from sqlax.compiler.plan.render import render
from sqlax.compiler.plan.schema import Schema


def prune_columns(node: Node) -> Node | None:
    """Keep below this node only what it reads. A node that is read twice keeps what either reads.

    Before: ``SELECT a FROM (SELECT *, AI_IF(x) AS p FROM t)``. After: ``SELECT a FROM t``.
    """
    wanted = _wanted(node)
    pruned: dict[Node, Node] = {}
    for below in node.walk():
        inputs = tuple(pruned[child] for child in below.inputs)
        pruned[below] = _CASES.get(type(below), _passing)(below, inputs, wanted[below])
    result = _exactly(pruned[node], node.schema.names)
    return None if result == node else result


def _wanted(root: Node) -> dict[Node, set[str]]:
    """Of each node the columns that some reader needs."""
    wanted = {node: set[str]() for node in root.walk()}
    wanted[root] = set(root.schema.names)
    for node in reversed([*wanted]):
        for child, names in zip(node.inputs, _reads(node, wanted[node]), strict=True):
            wanted[child] |= names & set(child.schema.names)
    return wanted


def _reads(node: Node, wanted: set[str]) -> list[set[str]]:
    """Of each input the columns that a node needs to yield the wanted ones."""
    if isinstance(node, Aggregate | Distinct):
        own = set(node.schema.names) if isinstance(node, Distinct) else _columns(node.expressions())
        return [own]
    if isinstance(node, Project):
        return [_columns(value for _, value in _kept(node, wanted))]
    if isinstance(node, Union):
        return [_positions(node, side, wanted) for side in node.inputs]
    if isinstance(node, Window):
        return [(wanted | _columns(call for _, call in _calls(node, wanted)))]
    if isinstance(node, Score) and not {node.name, node.name + "!"} & wanted:
        return [wanted]
    return [wanted | _columns(node.expressions())] * len(node.inputs)


def _positions(node: Union, side: Node, wanted: set[str]) -> set[str]:
    pairs = list(zip(node.schema.names, side.schema.names, strict=True))
    return {name for own, name in pairs if own in wanted} or {pairs[0][1]}


def _columns(expressions: Iterable[exp.Expr]) -> set[str]:
    return {name for expression in expressions for name in columns_of(expression)}


def _kept(node: Project, wanted: set[str]) -> list[tuple[Any, exp.Expr]]:
    """The wanted outputs; the first where none is, for a relation has a column."""
    return [(f, v) for f, v in node.items() if f.name in wanted] or list(node.items())[:1]


def _calls(node: Window, wanted: set[str]) -> list[tuple[Any, exp.Expr]]:
    added = node.schema.fields[len(node.input.schema.names) :]
    return [(f, call) for f, call in zip(added, node.calls, strict=True) if f.name in wanted]


def _exactly(node: Node, names: tuple[str, ...]) -> Node:
    """The node with exactly these columns in this order."""
    if node.schema.names == names:
        return node
    return Project(node.schema.select(names), node, tuple(column(name) for name in names))


def _scan(node: Scan, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    names = tuple(name for name in node.schema.names if name in wanted) or node.schema.names[:1]
    if names == node.schema.names:
        return node
    kept = node.schema.select(names)
    sql = render(Project(kept, node, tuple(column(name) for name in names)))
    return replace(node, schema=kept, sql=sql)


def _project(node: Project, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    kept = _kept(node, wanted)
    return Project(Schema(tuple(f for f, _ in kept)), inputs[0], tuple(v for _, v in kept))


def _score(node: Score, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    if not {node.name, node.name + "!"} & wanted:
        return inputs[0]
    answer = node.schema.select((node.name, node.name + "!"))
    return replace(node, schema=inputs[0].schema + answer, input=inputs[0])


def _join(node: Join, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    left, right = inputs
    schema = left.schema if node.kind in KEEPS_LEFT_ONLY else left.schema + right.schema
    if node.kind is JoinKind.MARK:
        schema += node.schema.select(node.schema.names[-1:])
    if node.kind is JoinKind.OTHER and not set(node.right.schema.names) & set(node.schema.names):
        schema = left.schema
    return replace(node, schema=schema, left=left, right=right)


def _window(node: Window, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    kept = _calls(node, wanted)
    if not kept:
        return inputs[0]
    schema = inputs[0].schema + Schema(tuple(f for f, _ in kept))
    return Window(schema, inputs[0], tuple(call for _, call in kept))


def _unnest(node: Unnest, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    """All its lists stay: they decide how many rows there are."""
    added = node.schema.fields[len(node.input.schema.names) :]
    return Unnest(inputs[0].schema + Schema(added), inputs[0], node.calls)


def _union(node: Union, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    names = tuple(n for n in node.schema.names if n in wanted) or node.schema.names[:1]
    places = [node.schema.names.index(name) for name in names]
    sides = [
        _exactly(side, tuple(old.schema.names[place] for place in places))
        for side, old in zip(inputs, node.inputs, strict=True)
    ]
    return Union(node.schema.select(names), sides[0], sides[1])


def _whole(node: Node, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    """DISTINCT reads all its columns, GROUP BY yields all of them."""
    exact = _exactly(inputs[0], node.schema.names) if isinstance(node, Distinct) else inputs[0]
    return node.with_inputs((exact,))


def _passing(node: Node, inputs: tuple[Node, ...], wanted: set[str]) -> Node:
    """A node that yields what its input does."""
    return replace(node.with_inputs(inputs), schema=inputs[0].schema)


_CASES: dict[type[Node], Callable[..., Node]] = {
    Scan: _scan,
    Project: _project,
    Score: _score,
    Join: _join,
    Window: _window,
    Union: _union,
    Unnest: _unnest,
    Distinct: _whole,
    Aggregate: _whole,
}
