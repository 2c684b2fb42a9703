"""The smallest automaton that accepts the same texts, numbered in one way only."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.load.columns import device_like

HostBools = npt.NDArray[np.bool_]


def minimal(class_of_byte: HostInts, table: HostInts, accepting: HostBools) -> ByteAutomaton:
    """The smallest automaton that accepts the same texts.

    Args:
        class_of_byte: int32[256].
        table: int32[states, classes], the next state or -1; all states are reachable from 0.
        accepting: bool[states].
    """
    table = _without_dead_ends(table, accepting)
    block = _equivalent(table, accepting)
    chosen = np.unique(block, return_index=True)[1]
    joined = np.append(block, -1)[table[chosen]]
    order = by_first_visit(joined, int(block[0]))
    place = np.full(len(joined) + 1, -1, np.int32)
    place[order] = np.arange(len(order))
    table = place[joined[order]]
    return _with_few_classes(class_of_byte, table, accepting[chosen][order])


def _without_dead_ends(table: HostInts, accepting: HostBools) -> HostInts:
    """The table without ways into states from which nothing is accepted."""
    source, target = edges(table)
    alive = accepting.copy()
    while True:
        new = source[alive[target] & ~alive[source]]
        if not len(new):
            return np.where(np.append(alive, False)[table], table, np.int32(-1))
        alive[new] = True


def edges(table: HostInts) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Every pair of states with a way from the first to the second, once."""
    source, column = np.nonzero(table >= 0)
    pairs = np.unique(source.astype(np.int64) * len(table) + table[source, column])
    return pairs // len(table), pairs % len(table)


def _equivalent(table: HostInts, accepting: HostBools) -> npt.NDArray[np.int64]:
    """The number of each state's class of states that accept the same (Moore, 1956).

    Rows are compared by a random sum. That two rows differ and their sums do not is next to
    impossible, and is noticed in the end.
    """
    weights = np.random.default_rng(0).integers(1, 1 << 63, table.shape[1] + 1, np.uint64)
    block = _numbered(2 * _longest(table) + accepting)
    count = 0
    while block.max() + 1 > count:
        count = int(block.max()) + 1
        beyond = np.append(block, count).astype(np.uint64)
        sums = beyond[table] @ weights[1:] + beyond[:-1] * weights[0]
        block = _numbered(sums)
    behind = np.append(block, -1)[table]
    assert (behind == behind[np.unique(block, return_index=True)[1]][block]).all()
    return block


def _numbered(values: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    numbers: npt.NDArray[np.int64] = np.unique(values, return_inverse=True)[1]
    return numbers


def _longest(table: HostInts) -> npt.NDArray[np.int64]:
    """The most bytes that may follow each state, -1 where there is no limit.

    It tells the places in a bounded repetition apart at once, for which comparing the states
    after one byte takes as many rounds as it has places.
    """
    source, target = edges(table)
    by_target = np.argsort(target, kind="stable")
    bounds = np.searchsorted(target[by_target], np.arange(len(table) + 1))
    open_ways = np.bincount(source, minlength=len(table))
    longest = np.where(open_ways == 0, 0, -1).astype(np.int64)
    ready = np.flatnonzero(open_ways == 0)
    length = 0
    while len(ready):
        length += 1
        before = [source[by_target[bounds[s] : bounds[s + 1]]] for s in ready]
        states = np.concatenate(before)
        np.subtract.at(open_ways, states, 1)
        ready = np.unique(states[open_ways[states] == 0])
        longest[ready] = length
    return longest


def by_first_visit(table: HostInts, start: int) -> list[int]:
    """The states in the order in which a breadth-first walk from `start` meets them."""
    order, seen = [start], {start}
    for state in order:
        for target in dict.fromkeys(table[state].tolist()):
            if target >= 0 and target not in seen:
                seen.add(target)
                order.append(target)
    return order


def _with_few_classes(
    class_of_byte: HostInts, table: HostInts, accepting: HostBools
) -> ByteAutomaton:
    """Classes joined where they lead to the same states; class 0 leads nowhere."""
    full = table[:, class_of_byte].T
    columns = {np.full(len(table), -1, np.int32).tobytes(): 0}
    numbers = [
        columns.setdefault(row.tobytes(), len(columns)) for row in np.ascontiguousarray(full)
    ]
    joined = np.stack([np.frombuffer(column, np.int32) for column in columns], axis=1)
    return ByteAutomaton(
        device_like(numbers, np.int32),
        device_like(joined, np.int32),
        device_like(accepting, np.bool_),
    )
