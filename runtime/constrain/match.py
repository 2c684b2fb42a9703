"""Whether texts are what a byte automaton accepts, in the graph: LIKE, ILIKE, regexp_matches."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Integer, UInt8

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton

_DEAD = -1


def matches(
    automaton: ByteAutomaton, text: UInt8[Array, "rows width"], length: Int[Array, " rows"]
) -> Bool[Array, " rows"]:
    """Whether the automaton accepts each text.

    Cost: one gather of a row a byte of the longest text.

    Args:
        automaton: the texts asked for; `padded` gives it shapes that many patterns share.
        text: UTF-8 of each row, anything behind its end.
        length: int32, bytes of each row.
    """

    def step(place: Int[Array, ""], state: Int[Array, " rows"]) -> Int[Array, " rows"]:
        here = jax.lax.dynamic_index_in_dim(text, place, axis=1, keepdims=False)
        return jnp.where(place < length, followed(automaton, state, here), state)

    start = jnp.zeros(length.shape, jnp.int32)
    longest = jnp.max(length, initial=0).astype(jnp.int32)
    return accepts(automaton, jax.lax.fori_loop(jnp.int32(0), longest, step, start))


def followed(
    automaton: ByteAutomaton, state: Int[Array, " rows"], byte: Integer[Array, " rows"]
) -> Int[Array, " rows"]:
    """The state after one more byte of each row, int32; state 0 is that of no bytes."""
    following = automaton.next[state, automaton.class_of_byte[byte]]
    return jnp.where(is_dead(state), jnp.int32(_DEAD), following)


def is_dead(state: Int[Array, " rows"]) -> Bool[Array, " rows"]:
    """Whether nothing that begins so is accepted."""
    return state == _DEAD


def accepts(automaton: ByteAutomaton, state: Int[Array, " rows"]) -> Bool[Array, " rows"]:
    """Whether a text that has led to a state may end there."""
    return jnp.logical_and(~is_dead(state), automaton.accepting[state])
