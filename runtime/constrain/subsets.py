"""From a nondeterministic automaton to the smallest deterministic one."""

from __future__ import annotations

from collections import defaultdict
from enum import Enum, auto
from functools import cache, lru_cache

import numpy as np

from sqlax.errors import CapacityError
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.constrain.characters import Characters
from sqlax.runtime.constrain.expression import (
    Chain,
    Choice,
    Embedded,
    Expression,
    OneOf,
    Place,
    Repeat,
)
from sqlax.runtime.constrain.minimal import minimal
from sqlax.runtime.constrain.nfa import Nfa, add

MOST_STATES = 20_000
"""Deterministic states before which an expression is refused."""


class Beside(Enum):
    """What stands on one side of a place in the text."""

    NOTHING = auto()
    LINE_FEED = auto()
    WORD = auto()
    OTHER = auto()


@lru_cache(maxsize=64)
def byte_automaton(expression: Expression) -> ByteAutomaton:
    """The smallest automaton that accepts the expression's texts, spelled in UTF-8.

    Made once for an expression while it is among the last few asked for.

    Raises:
        CapacityError: it would have too many states.
    """
    nfa = Nfa()
    start = nfa.state()
    return _deterministic(nfa, start, add(nfa, _spelled(expression), start))


def _spelled(expression: Expression) -> Expression:
    """The expression with its sets of characters as automata, each made once for all its uses."""
    match expression:
        case OneOf(characters) if not characters.is_ascii:
            return Embedded(_one_of(characters))
        case Chain(parts):
            return Chain(tuple(map(_spelled, parts)))
        case Choice(parts):
            return Choice(tuple(map(_spelled, parts)))
        case Repeat(part, least, most):
            return Repeat(_spelled(part), least, most)
    return expression


@cache
def _one_of(characters: Characters) -> ByteAutomaton:
    nfa = Nfa()
    start = nfa.state()
    return _deterministic(nfa, start, add(nfa, OneOf(characters), start))


def _deterministic(nfa: Nfa, start: int, end: int) -> ByteAutomaton:
    """The smallest deterministic automaton that leads from `start` to `end` by the same bytes.

    Subset construction (Rabin and Scott, 1959). A place such as the edge of a word is settled
    once the byte behind it is known, so that a state also remembers what stood before.
    """
    classes = _ByteClasses(nfa)
    closure = _Closure(nfa)
    first = (closure.of([start]), Beside.NOTHING)
    numbers = {first: 0}
    table, accepting = [], []
    queue = [first]
    for states, before in queue:  # grows as new states are met
        row = [-1] * classes.count
        for number, (targets, after) in _moves(nfa, classes, closure, states, before).items():
            key = (targets, after if closure.has_places else Beside.OTHER)
            if key not in numbers:
                numbers[key] = len(numbers)
                queue.append(key)
            row[number] = numbers[key]
        if len(numbers) > MOST_STATES:
            raise CapacityError(f"the constraint's automaton has more than {MOST_STATES} states")
        table.append(row)
        accepting.append(end in closure.settled(states, before, Beside.NOTHING))
    return minimal(classes.of_byte, np.asarray(table, np.int32), np.asarray(accepting, bool))


class _ByteClasses:
    """Bytes that no edge and no place tells apart."""

    def __init__(self, nfa: Nfa) -> None:
        cuts = {0}
        for edges in nfa.edges:
            for first, last, _ in edges:
                cuts |= {first, last + 1}
        if any(place for jumps in nfa.jumps for _, place in jumps):
            cuts |= {byte for byte in range(256) if _beside(byte - 1) != _beside(byte)}
        starts = np.asarray(sorted(cuts - {256}))
        self.count = len(starts)
        self.of_byte: HostInts = (
            np.searchsorted(starts, np.arange(256), "right").astype(np.int32) - 1
        )
        self.beside = [_beside(int(byte)) for byte in starts]

    def between(self, first: int, last: int) -> range:
        return range(int(self.of_byte[first]), int(self.of_byte[last]) + 1)


def _beside(byte: int) -> Beside:
    """Words are of ASCII letters, digits and underscores, as in RE2."""
    if byte == 0x0A:
        return Beside.LINE_FEED
    if 0 <= byte < 0x80 and (chr(byte).isalnum() or byte == 0x5F):
        return Beside.WORD
    return Beside.OTHER


class _Closure:
    """The states that a set of states stands for."""

    def __init__(self, nfa: Nfa) -> None:
        self._nfa = nfa
        self._known: dict[int, frozenset[int]] = {}
        self._bound = {
            state for state, jumps in enumerate(nfa.jumps) if any(place for _, place in jumps)
        }
        self.has_places = bool(self._bound)

    def of(self, states: list[int]) -> frozenset[int]:
        """The states and all that they jump to wherever they are."""
        return frozenset().union(*(self._one(state) for state in states))

    def settled(self, states: frozenset[int], before: Beside, after: Beside) -> frozenset[int]:
        """The states and all that they jump to between `before` and `after`."""
        found, waiting = states, states & self._bound
        while waiting:
            jumps = [jump for state in waiting for jump in self._nfa.jumps[state]]
            reached = [t for t, place in jumps if place and _holds(place, before, after)]
            new = self.of(reached) - found
            found, waiting = found | new, new & self._bound
        return found

    def _one(self, state: int) -> frozenset[int]:
        if state not in self._known:
            seen, stack = {state}, [state]
            while stack:
                targets = {t for t, place in self._nfa.jumps[stack.pop()] if place is None} - seen
                seen |= targets
                stack.extend(targets)
            self._known[state] = frozenset(seen)
        return self._known[state]


def _holds(place: Place, before: Beside, after: Beside) -> bool:
    match place:
        case Place.TEXT_BEGIN:
            return before is Beside.NOTHING
        case Place.TEXT_END:
            return after is Beside.NOTHING
        case Place.LINE_BEGIN:
            return before in (Beside.NOTHING, Beside.LINE_FEED)
        case Place.LINE_END:
            return after in (Beside.NOTHING, Beside.LINE_FEED)
        case Place.WORD_EDGE | Place.INSIDE:
            edge = (before is Beside.WORD) != (after is Beside.WORD)
            return edge == (place is Place.WORD_EDGE)


def _moves(
    nfa: Nfa, classes: _ByteClasses, closure: _Closure, states: frozenset[int], before: Beside
) -> dict[int, tuple[frozenset[int], Beside]]:
    """The states behind each class of bytes."""
    targets: dict[int, set[int]] = defaultdict(set)
    for after in set(classes.beside) if closure.has_places else [Beside.OTHER]:
        for state in closure.settled(states, before, after):
            for first, last, target in nfa.edges[state]:
                for number in classes.between(first, last):
                    if not closure.has_places or classes.beside[number] is after:
                        targets[number].add(target)
    return {
        number: (closure.of(list(found)), classes.beside[number])
        for number, found in targets.items()
    }
