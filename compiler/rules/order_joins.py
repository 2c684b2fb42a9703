"""Inner joins in an order in which each has a key and keeps few rows."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from sqlax.compiler.build.conditions import key_of
from sqlax.compiler.build.tree import conjunction, conjuncts
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Limit,
    Node,
    Project,
    Scan,
    column,
    columns_of,
)

_UNKNOWN_ROWS = 10_000
_PASSING = 0.2
"""Share of rows that a condition is taken to let through."""


def order_joins(node: Node) -> Node | None:
    """Join the tables of a FROM clause greedily: the largest first, then what keeps fewest rows.

    Before: ``FROM part, supplier, lineitem WHERE p = lp AND s = ls``, whose first join has no key.
    After: ``lineitem JOIN supplier ON s = ls JOIN part ON p = lp``.
    """
    done: dict[Node, Node] = {}
    changed = _ordered(node, done)
    return None if changed == node else changed


def _ordered(node: Node, done: dict[Node, Node]) -> Node:
    if node not in done:
        cluster = _cluster(node)
        if len(cluster.leaves) < 2:
            inputs = tuple(_ordered(child, done) for child in node.inputs)
            done[node] = node if inputs == node.inputs else node.with_inputs(inputs)
        else:
            cluster.leaves = [_ordered(leaf, done) for leaf in cluster.leaves]
            done[node] = _exactly(_joined(cluster), node.schema.names)
    return done[node]


@dataclass
class _Cluster:
    """Inner joins and filters that lie directly above one another."""

    leaves: list[Node] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)


def _cluster(node: Node) -> _Cluster:
    found = _Cluster()
    _collect(node, found)
    return found


def _collect(node: Node, found: _Cluster) -> None:
    if isinstance(node, Join) and node.kind is JoinKind.INNER:
        found.conditions += [key.condition() for key in node.keys]
        found.conditions += conjuncts(node.residual) if node.residual is not None else []
        _collect(node.left, found)
        _collect(node.right, found)
    elif isinstance(node, Filter) and _is_join(node.input):
        found.conditions += conjuncts(node.predicate)
        _collect(node.input, found)
    else:
        found.leaves.append(node)


def _is_join(node: Node) -> bool:
    if isinstance(node, Filter):
        return _is_join(node.input)
    return isinstance(node, Join) and node.kind is JoinKind.INNER


def _joined(cluster: _Cluster) -> Node:
    """The leaves joined one by one, each condition as soon as its columns are there."""
    left = sorted(cluster.leaves, key=_table_rows, reverse=True)
    conditions = list(dict.fromkeys(cluster.conditions))
    left = [_take_own(leaf, conditions) for leaf in left]
    plan = left.pop(0)
    while left:
        following = min(left, key=lambda leaf: _rank(plan, leaf, conditions))
        left.remove(following)
        plan = _join(plan, following, conditions)
    rest = conjunction(conditions)
    return plan if rest is None else Filter(plan.schema, plan, rest)


def _take_own(leaf: Node, conditions: list[exp.Expr]) -> Node:
    """The leaf with the conditions that read nothing else; they are taken out of the list."""
    names = set(leaf.schema.names)
    own = [c for c in conditions if columns_of(c) and columns_of(c) <= names]
    predicate = conjunction(own)
    conditions[:] = [c for c in conditions if c not in own]
    return leaf if predicate is None else Filter(leaf.schema, leaf, predicate)


def _rank(plan: Node, leaf: Node, conditions: list[exp.Expr]) -> tuple[bool, float]:
    """Joins with a key come first, then those after which the fewest rows are expected."""
    keys = _keys(plan, leaf, conditions)
    kept = _rows(leaf) / max(1.0, _table_rows(leaf))
    return not keys, kept if keys else _rows(leaf)


def _keys(plan: Node, leaf: Node, conditions: list[exp.Expr]) -> dict[exp.Expr, JoinKey]:
    sides = set(plan.schema.names), set(leaf.schema.names)
    found = {condition: key_of(condition, *sides) for condition in conditions}
    return {condition: key for condition, key in found.items() if key is not None}


def _join(plan: Node, leaf: Node, conditions: list[exp.Expr]) -> Node:
    keys = _keys(plan, leaf, conditions)
    schema = plan.schema + leaf.schema
    joined: Node = Join(schema, plan, leaf, JoinKind.INNER, tuple(keys.values()))
    names = set(schema.names)
    ready = [c for c in conditions if c not in keys and columns_of(c) <= names]
    conditions[:] = [c for c in conditions if c not in keys and c not in ready]
    predicate = conjunction(ready)
    return joined if predicate is None else Filter(schema, joined, predicate)


def _table_rows(node: Node) -> float:
    """Expected rows without any filter."""
    if isinstance(node, Scan):
        return float(node.rows if node.rows is not None else _UNKNOWN_ROWS)
    if isinstance(node, Aggregate) and not node.keys:
        return 1.0
    below = max((_table_rows(child) for child in node.inputs), default=1.0)
    if isinstance(node, Limit) and node.count is not None:
        return min(below, float(node.count))
    return below / 4 if isinstance(node, Aggregate | Distinct) else below


def _rows(node: Node) -> float:
    """Expected rows."""
    if isinstance(node, Filter):
        return float(_rows(node.input) * _PASSING ** len(conjuncts(node.predicate)))
    if isinstance(node, Scan | Aggregate | Distinct | Limit):
        return _table_rows(node)
    return max((_rows(child) for child in node.inputs), default=1.0)


def _exactly(node: Node, names: tuple[str, ...]) -> Node:
    if node.schema.names == names:
        return node
    return Project(node.schema.select(names), node, tuple(column(name) for name in names))
