"""LIMITs that can stop early: the row-wise operators below them, down to the first that is not.

``WHERE AI_IF(x) LIMIT 3`` asks for a window of rows, then for twice as many, until three pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sqlax.compiler.lowering.prompts import row_values
from sqlax.compiler.plan.nodes import Filter, Limit, Node, Project, Score, columns_of

_FIRST_WINDOW = 16
_LARGEST_WINDOW = 1 << 30


@dataclass(frozen=True)
class Chain:
    """A LIMIT and the score operators, by number, that only it reads row by row."""

    limit: Limit
    operators: tuple[int, ...]

    @property
    def rows(self) -> int:
        """Rows the LIMIT takes, OFFSET included."""
        return (self.limit.count or 0) + self.limit.offset

    @property
    def first_window(self) -> int:
        """Input rows to ask for at first; none for LIMIT 0."""
        return min(max(_FIRST_WINDOW, 4 * self.rows), _LARGEST_WINDOW) if self.rows else 0


def chains_of(plan: Node, scores: tuple[Score, ...]) -> tuple[Chain, ...]:
    """The early-stopping LIMITs of a plan, lowest first; no one else may read their operators."""
    reads = Counter(child for node in plan.walk() for child in node.inputs)
    found: dict[Limit, Chain] = {}
    for node in plan.walk():
        if isinstance(node, Limit) and node.count is not None:
            chain = list(_row_wise(node.input))
            below = [step for step in chain if isinstance(step, Score)]
            alone = all(reads[step] == 1 for step in chain)
            if below and alone and all(_is_stable(score) for score in below):
                found[node] = Chain(node, tuple(sorted(scores.index(s) for s in below)))
    return tuple(found.values())


def _is_stable(score: Score) -> bool:
    """Whether a row's prompt stays the same while other operators answer more rows.

    Prompts of several values are numbered by all of them: an answer among them would change the
    numbers between two windows.
    """
    values = row_values(score.call)
    return len(values) < 2 or not any(_from_answer(score.input, v.name) for v in values)


def _from_answer(node: Node, name: str) -> bool:
    """Whether a column is, or is computed from, what a model answers in the same chain."""
    if isinstance(node, Score):
        return name in (node.name, node.name + "!") or _from_answer(node.input, name)
    if isinstance(node, Filter):
        return _from_answer(node.input, name)
    if isinstance(node, Project):
        value = dict(zip(node.schema.names, node.values, strict=True))[name]
        return any(_from_answer(node.input, column) for column in columns_of(value))
    return False


def _row_wise(node: Node) -> Iterator[Filter | Project | Score]:
    """The operators between a LIMIT and the first node that moves rows."""
    while isinstance(node, Filter | Project | Score):
        yield node
        node = node.input
