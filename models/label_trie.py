"""A list of labels as a trie, in arrays of power-of-two capacity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from sqlax.models.language_model import LabelTrie

Path: TypeAlias = tuple[int, ...]
"""The tokens from the root to an edge's end."""


@dataclass
class _Edges:
    """Edges in the order they were first seen; an edge's end is a node if another leaves it."""

    number: dict[Path, int] = field(default_factory=dict)
    node: dict[Path, int] = field(default_factory=dict)

    def add(self, label: Path) -> None:
        for length in range(1, len(label) + 1):
            self.number.setdefault(label[:length], len(self.number))
        for length in range(1, len(label)):
            self.node.setdefault(label[:length], len(self.node))


def build_trie(
    labels: Sequence[Sequence[int]],
    node_capacity: int | None = None,
    edge_capacity: int | None = None,
    label_capacity: int | None = None,
    fewest: int = 1,
) -> LabelTrie:
    """The trie of `labels`, each a list of tokens, with numpy arrays.

    A node comes after its ancestors. Capacities default to the next power of two, the nodes' to 0
    when every label is a single token; edges and labels have at least `fewest`.

    Raises:
        ValueError: a label is empty, the beginning of another or given twice, or a capacity is
            too small.
    """
    paths = [tuple(label) for label in labels]
    edges = _Edges()
    for path in paths:
        edges.add(path)
    _check(paths, edges)
    nodes = _capacity("nodes", len(edges.node), node_capacity)
    return _arrays(
        paths,
        edges,
        (
            nodes,
            max(fewest, _capacity("edges", len(edges.number), edge_capacity)),
            max(fewest, _capacity("labels", len(paths), label_capacity)),
        ),
    )


def _check(paths: list[Path], edges: _Edges) -> None:
    if not paths or not all(paths):
        raise ValueError("a label has no tokens" if paths else "there are no labels")
    for i, path in enumerate(paths):
        if path in edges.node:
            raise ValueError(f"label {i} is the beginning of another label: {list(path)}")
        if path in paths[:i]:
            raise ValueError(f"label {i} is given twice: {list(path)}")


def _capacity(what: str, used: int, capacity: int | None) -> int:
    if capacity is None:
        return 1 << (used - 1).bit_length() if used else 0
    if capacity < used:
        raise ValueError(f"{used} {what} do not fit a capacity of {capacity}")
    return capacity


def _arrays(paths: list[Path], edges: _Edges, capacity: tuple[int, int, int]) -> LabelTrie:
    nodes, edge_capacity, label_capacity = capacity
    path: Any = np.zeros((label_capacity, edge_capacity), np.float32)
    valid: Any = np.arange(label_capacity) < len(paths)
    for i, label in enumerate(paths):
        path[i, [edges.number[part] for part in _beginnings(label)]] = 1.0
    parents = [edges.node[e[:-1]] + 1 if e[:-1] else 0 for e in edges.number]
    return LabelTrie(
        node_token=_padded([n[-1] for n in edges.node], nodes),
        node_depth=_padded([len(n) for n in edges.node], nodes),
        ancestors=_ancestors(edges, nodes),
        edge_parent=_padded(parents, edge_capacity),
        edge_token=_padded([e[-1] for e in edges.number], edge_capacity),
        path=path,
        label_valid=valid,
        normalise=bool(edges.node),
    )


def _ancestors(edges: _Edges, capacity: int) -> Any:
    ancestors = np.zeros((capacity, capacity), np.bool_)
    for node, i in edges.node.items():
        ancestors[i, [edges.node[part] for part in _beginnings(node)]] = True
    return ancestors


def _beginnings(path: Path) -> list[Path]:
    return [path[:length] for length in range(1, len(path) + 1)]


def _padded(values: list[int], capacity: int) -> Any:
    return np.pad(np.asarray(values, np.int32), (0, capacity - len(values)))
