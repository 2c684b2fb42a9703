"""Random texts that an automaton accepts."""

from __future__ import annotations

import random

import numpy as np

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.minimal import edges
from sqlax.runtime.constrain.subsets import byte_automaton


def walks(expression: Expression, seed: int, count: int, stop: float = 0.1) -> list[str]:
    """Random accepted texts; a walk turns to the nearest end after a random number of bytes."""
    automaton = byte_automaton(expression)
    draw = random.Random(seed)
    distance = _distances(automaton)
    return [_walk(automaton, distance, draw, stop).decode() for _ in range(count)]


def _walk(automaton: ByteAutomaton, distance: list[int], draw: random.Random, stop: float) -> bytes:
    table, state, text, ending = automaton.by_byte(), 0, bytearray(), False
    while True:
        ending = ending or draw.random() < stop
        ways = np.flatnonzero(table[state] >= 0).tolist()
        if not ways or (ending and automaton.accepting[state]):
            return bytes(text)
        targets = {byte: int(table[state, byte]) for byte in ways}
        nearest = min(distance[target] for target in targets.values())
        if ending:
            ways = [byte for byte, target in targets.items() if distance[target] == nearest]
        # One byte of every target, so that rare ways are taken too.
        target = draw.choice(sorted({targets[byte] for byte in ways}))
        byte = draw.choice([byte for byte in ways if targets[byte] == target])
        text.append(byte)
        state = target


def _distances(automaton: ByteAutomaton) -> list[int]:
    source, target = edges(np.asarray(automaton.next))
    distance = np.where(automaton.accepting, 0, 1 << 30)
    for _ in range(len(distance)):
        np.minimum.at(distance, source, distance[target] + 1)
    found: list[int] = distance.tolist()
    return found
