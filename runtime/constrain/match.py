"""Whether texts are what a byte automaton accepts, in the graph: LIKE, ILIKE, regexp_matches."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt8

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
    symbol = automaton.class_of_byte[text]

    def step(place: Int[Array, ""], state: Int[Array, " rows"]) -> Int[Array, " rows"]:
        here = jax.lax.dynamic_index_in_dim(symbol, place, axis=1, keepdims=False)
        following = jnp.where(state == _DEAD, jnp.int32(_DEAD), automaton.next[state, here])
        return jnp.where(place < length, following, state)

    start = jnp.zeros(length.shape, jnp.int32)
    longest = jnp.max(length, initial=0).astype(jnp.int32)
    state = jax.lax.fori_loop(jnp.int32(0), longest, step, start)
    return jnp.logical_and(state != _DEAD, automaton.accepting[state])
