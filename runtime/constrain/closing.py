"""How many tokens are at least missing until a text may end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sqlax.runtime.constrain.byte_automaton import HostInts
from sqlax.runtime.constrain.minimal import edges
from sqlax.runtime.constrain.token_automaton import NEVER


def closing_tokens(table: HostInts, accepting: npt.NDArray[np.bool_]) -> HostInts:
    """int32[states], the fewest tokens to an accepting state: a breadth-first walk backwards.

    Args:
        table: int32[states, classes], the state after a token of each class, or -1.
        accepting: bool[states].
    """
    source, target = edges(table)
    closing = np.where(accepting, 0, NEVER).astype(np.int32)
    for distance in range(1, len(table) + 1):
        reached = source[closing[target] == distance - 1]
        new = reached[closing[reached] == NEVER]
        if not len(new):
            break
        closing[new] = distance
    return closing
