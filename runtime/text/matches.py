"""LIKE, ILIKE and regular expressions over generated texts."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.match import accepts, followed, is_dead
from sqlax.runtime.text.spelled import Spelled


class _Cursor(NamedTuple):
    """How far all texts have been read, and the state that each has led to."""

    position: Int[Array, ""]
    piece: Int[Array, " texts"]
    state: Int[Array, " texts"]


def matches(automaton: ByteAutomaton, texts: Spelled) -> Bool[Array, " texts"]:
    """Whether the automaton accepts each text.

    Cost: five gathers a byte, up to the end of the longest text that can still be accepted.

    Args:
        automaton: the texts asked for; `padded` gives it shapes that many patterns share.
        texts: whose bytes are UTF-8, as the automaton expects them.
    """

    def is_open(cursor: _Cursor) -> Bool[Array, ""]:
        return jnp.any((cursor.position < texts.length) & ~is_dead(cursor.state))

    def step(cursor: _Cursor) -> _Cursor:
        byte, piece = texts.byte_at(cursor.position, cursor.piece)
        state = followed(automaton, cursor.state, byte)
        state = jnp.where(cursor.position < texts.length, state, cursor.state)
        return _Cursor(cursor.position + 1, piece, state)

    start = _Cursor(jnp.int32(0), texts.first, jnp.zeros(texts.length.shape, jnp.int32))
    return accepts(automaton, jax.lax.while_loop(is_open, step, start).state)
