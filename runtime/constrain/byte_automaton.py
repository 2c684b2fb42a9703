"""A deterministic automaton over bytes."""

from __future__ import annotations

import dataclasses
import hashlib

import jax
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Bool, Int

from sqlax.runtime.load.columns import device_like
from sqlax.runtime.relation import bucket

HostInts = npt.NDArray[np.int32]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class ByteAutomaton:
    """States, and where each kind of byte leads; state 0 is the start.

    On the host these are NumPy arrays, as small as the accepted texts allow and numbered in one
    way only: two automata that accept the same texts are equal. `padded` gives the form for the
    device.

    Attributes:
        class_of_byte: int32, bytes that lead to the same states from everywhere are one class;
            class 0 is of the bytes that are allowed nowhere.
        next: int32, the state after a byte of each class; -1 where no accepted text goes on so.
        accepting: states in which a text may end.
    """

    class_of_byte: Int[Array, 256]
    next: Int[Array, "states classes"]
    accepting: Bool[Array, " states"]

    @property
    def digest(self) -> str:
        """A name that two automata share only if they accept the same texts."""
        content = hashlib.sha256()
        for part in (self.class_of_byte, self.next, self.accepting):
            array = np.ascontiguousarray(part)
            content.update(f"{array.dtype}{array.shape}".encode() + array.tobytes())
        return content.hexdigest()

    def by_byte(self) -> HostInts:
        """The state after each of the 256 bytes, int32[states, 256]."""
        return np.asarray(self.next, np.int32)[:, np.asarray(self.class_of_byte)]

    def accepts(self, text: str | bytes) -> bool:
        """Whether the automaton accepts `text`, on the host."""
        state = 0
        for byte in text.encode() if isinstance(text, str) else text:
            state = int(self.next[state, self.class_of_byte[byte]])
            if state < 0:
                return False
        return bool(self.accepting[state])


def padded(automaton: ByteAutomaton) -> ByteAutomaton:
    """The automaton in arrays of power-of-two capacity, so that one program serves many."""
    states, classes = automaton.next.shape
    table = np.full((bucket(states, 64), bucket(classes, 64)), -1, np.int32)
    table[:states, :classes] = automaton.next
    accepting = np.zeros(len(table), bool)
    accepting[:states] = automaton.accepting
    return ByteAutomaton(
        device_like(automaton.class_of_byte, np.int32),
        device_like(table, np.int32),
        device_like(accepting, np.bool_),
    )
