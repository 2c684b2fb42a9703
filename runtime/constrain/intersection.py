"""Texts that two automata accept."""

from __future__ import annotations

import numpy as np

from sqlax.errors import CapacityError
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.minimal import minimal

MOST_STATES = 50_000
"""Pairs of states before which an intersection is refused."""


def intersection(left: ByteAutomaton, right: ByteAutomaton) -> ByteAutomaton:
    """The smallest automaton that accepts what both accept: the product of their states.

    Raises:
        CapacityError: it would have too many states.
    """
    tables = left.by_byte(), right.by_byte()
    numbers = {(0, 0): 0}
    queue, rows = [(0, 0)], []
    for pair in queue:  # grows as new pairs are met
        after = np.stack([table[state] for table, state in zip(tables, pair, strict=True)], axis=1)
        row = np.full(256, -1, np.int32)
        for byte in np.flatnonzero((after >= 0).all(axis=1)).tolist():
            target = (int(after[byte, 0]), int(after[byte, 1]))
            if target not in numbers:
                numbers[target] = len(numbers)
                queue.append(target)
            row[byte] = numbers[target]
        rows.append(row)
        if len(numbers) > MOST_STATES:
            raise CapacityError(f"two constraints at once need more than {MOST_STATES} states")
    accepting = [bool(left.accepting[a] and right.accepting[b]) for a, b in queue]
    return minimal(np.arange(256, dtype=np.int32), np.stack(rows), np.asarray(accepting))
