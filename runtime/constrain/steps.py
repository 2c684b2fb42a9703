"""Where every token leads from every state, with tokens that lead alike as one class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.constrain.vocabulary import Vocabulary

STATES_AT_ONCE = 256
"""States whose ways are followed at a time: bounds the memory of a lift."""

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Steps:
    """A table of steps, without padding.

    Attributes:
        class_of_token: int32[tokens]; class 0 is of the tokens that lead nowhere.
        next: int32[states, classes], the state behind a token, or -1.
    """

    class_of_token: HostInts
    next: HostInts


@dataclass(frozen=True)
class _Level:
    """The nodes of one depth of a trie of spellings.

    Attributes:
        parent: the node above each, by its number on the level above.
        symbol: the class of the byte between.
        node: the node of each token that is this long or longer.
        token: those tokens.
        ending: whether each of them ends here.
    """

    parent: Numbers
    symbol: Numbers
    node: Numbers
    token: Numbers
    ending: npt.NDArray[np.bool_]


def token_steps(automaton: ByteAutomaton, vocabulary: Vocabulary) -> Steps:
    """Where every token leads.

    In classes of bytes many tokens are spelled alike. All spellings go through the automaton at
    once, as a trie, from every state. Tokens are compared by a random sum of where they lead: that
    two lead to different states with the same sum is next to impossible.
    """
    table = np.pad(np.asarray(automaton.next, np.int32), ((0, 1), (0, 0)), constant_values=-1)
    table[table < 0] = len(table) - 1  # one more state, which is never left
    symbols = np.asarray(automaton.class_of_byte)[np.maximum(vocabulary.spelled, 0)]
    levels = list(_trie(symbols, vocabulary))
    sums = _sums(table, levels, len(symbols))
    _, first, number = np.unique(np.append(sums, 0), return_index=True, return_inverse=True)
    examples = first[1:]  # the sum 0 comes first: tokens that lead nowhere
    after = _ends(table, symbols[examples], vocabulary.length[examples])
    dead = np.full((len(after), 1), -1, np.int32)
    return Steps(number[:-1].astype(np.int32), np.concatenate([dead, after], axis=1))


def _trie(symbols: HostInts, vocabulary: Vocabulary) -> Iterator[_Level]:
    """The tokens that no byte rules out, level by level."""
    inside = vocabulary.spelled >= 0
    token = np.flatnonzero((vocabulary.length > 0) & np.all((symbols > 0) | ~inside, axis=1))
    above, classes = np.zeros(len(token), np.int64), int(symbols.max()) + 1
    for depth in range(symbols.shape[1]):
        if not len(token):
            return
        keys, node = np.unique(above * classes + symbols[token, depth], return_inverse=True)
        ending = vocabulary.length[token] == depth + 1
        yield _Level(keys // classes, keys % classes, node, token, ending)
        above, token = node[~ending], token[~ending]


def _sums(table: HostInts, levels: list[_Level], tokens: int) -> npt.NDArray[np.uint64]:
    """A random sum of the states that each token leads to; 0 if it leads nowhere."""
    dead = len(table) - 1
    weights = np.random.default_rng(0).integers(1, 1 << 63, len(table), np.uint64)
    sums = np.zeros(tokens, np.uint64)
    for start in range(0, dead, STATES_AT_ONCE):
        states = np.arange(start, min(start + STATES_AT_ONCE, dead))
        reached = states[None, :].astype(np.int32)
        for level in levels:
            reached = table[reached[level.parent], level.symbol[:, None]]
            # The state that is never left counts as nothing.
            node_sum = ((reached + 1) % (dead + 1)).astype(np.uint64) @ weights[states]
            sums[level.token[level.ending]] += node_sum[level.node[level.ending]]
            if not np.any(reached != dead):
                break
    return sums


def _ends(table: HostInts, symbols: HostInts, length: HostInts) -> HostInts:
    """Where tokens lead from each state, int32[states, tokens], or -1."""
    dead = len(table) - 1
    states = np.repeat(np.arange(dead, dtype=np.int32)[:, None], len(symbols), axis=1)
    for depth in range(int(length.max(initial=0))):
        going = np.flatnonzero(length > depth)
        states[:, going] = table[states[:, going], symbols[going, depth]]
    return np.where(states == dead, np.int32(-1), states)
