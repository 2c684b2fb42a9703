"""Text that is forced: what follows is known, so that the model need not be asked."""

from __future__ import annotations

import numpy as np

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.constrain.steps import Steps
from sqlax.runtime.constrain.vocabulary import Vocabulary


def with_forced_steps(
    automaton: ByteAutomaton, steps: Steps, closing: HostInts, vocabulary: Vocabulary
) -> HostInts:
    """The table of steps, with one token left in every state in which only one text can follow.

    In a state in the middle of a constant text every token that begins the rest of it is allowed,
    and all of them mean the same. The one left is the one after which the fewest tokens are
    missing, the longest of them. Where a token may reach beyond the constant text, the choice
    stays: what follows matters to the model.

    Args:
        automaton: the automaton over bytes; its states are those of the table.
        steps: where tokens lead.
        closing: int32[states], fewest tokens to an accepting state.
        vocabulary: the tokens.
    """
    table = steps.next.copy()
    longest = np.zeros(table.shape[1], np.int32)
    np.maximum.at(longest, steps.class_of_token, vocabulary.length)
    for state, forced in enumerate(_forced_bytes(automaton)):
        ways = np.flatnonzero(table[state] >= 0)
        if not forced or not len(ways) or longest[ways].max() > forced:
            continue
        missing = closing[table[state, ways]]
        chosen = ways[np.lexsort((-longest[ways], missing))[0]]
        table[state, np.setdiff1d(ways, chosen)] = -1
    return table


def forced_tokens(steps: Steps, accepting: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> HostInts:
    """int32[states], the only token allowed in each state; -1 where there are more or an end."""
    size = np.bincount(steps.class_of_token, minlength=steps.next.shape[1])
    allowed = steps.next >= 0
    only = (allowed @ size == 1) & ~accepting
    example = np.zeros(steps.next.shape[1], np.int32)
    example[steps.class_of_token] = np.arange(len(steps.class_of_token))
    return np.where(only, example[allowed.argmax(axis=1)], np.int32(-1)).astype(np.int32)


def _forced_bytes(automaton: ByteAutomaton) -> list[int]:
    """How many bytes are forced behind each state."""
    by_byte = automaton.by_byte()
    single = (np.sum(by_byte >= 0, axis=1) == 1) & ~np.asarray(automaton.accepting)
    target = by_byte.max(axis=1)
    forced = [0] * len(single)
    for state in np.flatnonzero(single).tolist():
        path = [state]
        while single[path[-1]] and not forced[path[-1]]:
            path.append(int(target[path[-1]]))
        for behind, earlier in zip(path[:0:-1], path[-2::-1], strict=True):
            forced[earlier] = forced[behind] + 1
    return forced
