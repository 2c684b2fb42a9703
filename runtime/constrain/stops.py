"""Stop strings: a text is what stands before the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.constrain.expression import ANYTHING
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.text.token_bytes import BLANKS


@dataclass(frozen=True, eq=False)
class StopAutomaton:
    """Every text, and what is read of a text behind its first stop string.

    Attributes:
        automaton: where bytes lead; not the smallest, for its states differ in what they mean.
        cut: int32[states], how many of the bytes read are the first stop string and what follows.
        over: bool[states], whether nothing that may follow can move the place of the cut.
    """

    automaton: ByteAutomaton
    cut: HostInts
    over: npt.NDArray[np.bool_]


class _State(NamedTuple):
    """What has to be known of the bytes read.

    Attributes:
        utf8: the state of the automaton of all texts.
        begun: the longest end of the text that a stop string begins with; None before the first
            character that is no blank, for blanks at the ends are no part of a text.
        found: bytes from the start of the first stop string on; 0 where there was none.
        over: whether no stop string that began earlier can still be completed.
    """

    utf8: int
    begun: bytes | None
    found: int = 0
    over: bool = False


def stop_automaton(stops: tuple[str, ...], most: int) -> StopAutomaton:
    """The automaton of some stop strings, which follows one token beyond their end.

    The first stop string is the one that begins first: where one is complete, but another that
    began before it may still become so, the text goes on (leftmost match; Aho and Corasick, 1975).

    Args:
        stops: the strings, none of them empty.
        most: bytes of the longest token.
    """
    reader = _Reader(tuple(stop.encode() for stop in stops), most)
    classes, examples = reader.byte_classes()
    numbers = {_State(0, None): 0}
    table = []
    for state in (queue := list(numbers)):  # grows as new states are met
        row = [-1]
        for byte in examples:
            after = reader.after(state, byte)
            if after is not None and after not in numbers:
                numbers[after] = len(queue)
                queue.append(after)
            row.append(-1 if after is None else numbers[after])
        table.append(row)
    accepting = [state.over or reader.is_text(state) for state in queue]
    return StopAutomaton(
        ByteAutomaton(
            device_like(classes, np.int32),
            device_like(table, np.int32),
            device_like(accepting, np.bool_),
        ),
        np.asarray([state.found for state in queue], np.int32),
        np.asarray([state.over for state in queue], bool),
    )


class _Reader:
    """Reads a text byte by byte."""

    def __init__(self, stops: tuple[bytes, ...], most: int) -> None:
        self._stops = stops
        self._beginnings = {stop[:size] for stop in stops for size in range(len(stop))}
        self._most = most + max(map(len, stops))
        self._texts = byte_automaton(ANYTHING)
        self._next = self._texts.by_byte()

    def byte_classes(self) -> tuple[HostInts, list[int]]:
        """The class of each byte, int32[256], and a byte of each class but that of no text."""
        special = {*b"".join(self._stops), *BLANKS}
        kinds: dict[tuple[int, int], int] = {}
        classes = np.zeros(256, np.int32)
        for byte in np.flatnonzero(np.asarray(self._texts.class_of_byte)).tolist():
            kind = int(self._texts.class_of_byte[byte]), byte if byte in special else -1
            classes[byte] = kinds.setdefault(kind, len(kinds) + 1)
        return classes, [int(np.argmax(classes == number)) for number in kinds.values()]

    def is_text(self, state: _State) -> bool:
        """Whether the bytes read are whole characters."""
        return bool(self._texts.accepting[state.utf8])

    def after(self, state: _State, byte: int) -> _State | None:
        """The state after one more byte; None where no text goes on so."""
        if state.over:
            longer = state._replace(found=state.found + 1)
            return longer if longer.found < self._most else None
        utf8 = int(self._next[state.utf8, byte])
        if utf8 < 0:
            return None
        if state.begun is None and byte in BLANKS:
            return state._replace(utf8=utf8)
        read = (state.begun or b"") + bytes([byte])
        found = max(self._ending(read), default=0)
        found = max(found, state.found + 1 if state.found else 0)
        begun = next(end for end in _ends(read) if end in self._beginnings)
        if found and found >= len(begun):
            return _State(0, b"", found, over=True)
        return _State(utf8, begun, found)

    def _ending(self, read: bytes) -> Iterator[int]:
        """The lengths of the stop strings that have just become complete."""
        return (len(stop) for stop in self._stops if read.endswith(stop))


def _ends(read: bytes) -> Iterator[bytes]:
    """All ends of what was read, the longest first and the empty one last."""
    return (read[start:] for start in range(len(read) + 1))
