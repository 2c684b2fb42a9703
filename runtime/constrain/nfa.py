"""Expressions as nondeterministic automata over bytes (Thompson's construction, 1968)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sqlax.errors import CapacityError
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.characters import Characters
from sqlax.runtime.constrain.expression import (
    At,
    Chain,
    Choice,
    Embedded,
    Expression,
    Literal,
    OneOf,
    Place,
    Repeat,
)
from sqlax.runtime.constrain.utf8 import byte_ranges

MOST_STATES = 400_000
"""States before which an expression is refused: about a second of work each 100,000."""


@dataclass
class Nfa:
    """States with edges that take a byte and jumps that take none.

    Attributes:
        edges: first and last byte, and target, of each state's edges.
        jumps: target of each state's jumps, and the place it is bound to, if any.
    """

    edges: list[list[tuple[int, int, int]]] = field(default_factory=list)
    jumps: list[list[tuple[int, Place | None]]] = field(default_factory=list)

    def state(self) -> int:
        """A new state."""
        if len(self.edges) >= MOST_STATES:
            raise CapacityError(
                f"the constraint needs more than {MOST_STATES} states: its repetitions are too many"
            )
        self.edges.append([])
        self.jumps.append([])
        return len(self.edges) - 1

    def edge(self, source: int, first: int, last: int) -> int:
        """A new state behind `source` and one byte."""
        target = self.state()
        self.edges[source].append((first, last, target))
        return target

    def jump(self, source: int, target: int, place: Place | None = None) -> None:
        """Lets `source` go on as `target`."""
        self.jumps[source].append((target, place))


def add(nfa: Nfa, expression: Expression, start: int) -> int:
    """Adds the expression's texts behind `start`; the state behind them."""
    match expression:
        case Literal(text):
            for byte in text.encode():
                start = nfa.edge(start, byte, byte)
            return start
        case OneOf(characters):
            return _add_characters(nfa, characters, start)
        case Chain(parts):
            for part in parts:
                start = add(nfa, part, start)
            return start
        case Choice(parts):
            return _add_choice(nfa, parts, start)
        case Repeat(part, least, most):
            return _add_repeat(nfa, part, least, most, start)
        case At(place):
            end = nfa.state()
            nfa.jump(start, end, place)
            return end
        case Embedded(automaton):
            return _add_automaton(nfa, automaton, start)


def _add_choice(nfa: Nfa, parts: tuple[Expression, ...], start: int) -> int:
    end = nfa.state()
    for part in parts:
        nfa.jump(add(nfa, part, start), end)
    return end


def _add_repeat(nfa: Nfa, part: Expression, least: int, most: int | None, start: int) -> int:
    for _ in range(least):
        start = add(nfa, part, start)
    end = nfa.state()
    nfa.jump(start, end)
    if most is None:
        nfa.jump(add(nfa, part, end), end)
        return end
    for _ in range(least, most):
        start = add(nfa, part, start)
        nfa.jump(start, end)
    return end


def _add_characters(nfa: Nfa, characters: Characters, start: int) -> int:
    end = nfa.state()
    for low, high in characters.ranges:
        for sequence in byte_ranges(low, high):
            last = start
            for first_byte, last_byte in sequence[:-1]:
                last = nfa.edge(last, first_byte, last_byte)
            nfa.edges[last].append((*sequence[-1], end))
    return end


def _add_automaton(nfa: Nfa, automaton: ByteAutomaton, start: int) -> int:
    first = len(nfa.edges)
    table = automaton.by_byte()
    for _ in table:
        nfa.state()
    end = nfa.state()
    nfa.jump(start, first)
    for state, row in enumerate(table):
        nfa.edges[first + state] = [(a, b, first + t) for a, b, t in _runs(row)]
        if automaton.accepting[state]:
            nfa.jump(first + state, end)
    return end


def _runs(row: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[tuple[int, int, int]]:
    """First and last byte, and target, of each run of bytes with the same target."""
    starts = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    ends = np.r_[starts[1:], len(row)] - 1
    runs = zip(starts.tolist(), ends.tolist(), row[starts].tolist(), strict=True)
    return [(first, last, target) for first, last, target in runs if target >= 0]
