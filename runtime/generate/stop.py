"""The end of a text before its first stop string."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.constrain.token_automaton import START
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.text.token_bytes import TokenBytes

_NONE = 1 << 30


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Stop:
    """What a text is cut with.

    Attributes:
        cut: int32, how many bytes at the end of a text are none of it, by its automaton's state.
        tokens: what tokens spell.
        of_byte: int32, the token that spells each byte; -1 where there is none.
        most_kept: most bytes that can be left of a token.
    """

    cut: Int[Array, " states"]
    tokens: TokenBytes
    of_byte: Int[Array, 256]
    most_kept: int = dataclasses.field(metadata={"static": True})


def without_stops(stop: Stop, state: GenerateState, over: Bool[Array, " lanes"]) -> GenerateState:
    """The state with the texts of some lanes cut before their first stop string.

    What is left of a token in the middle of which the text ends becomes a token for each byte, so
    that whoever reads the text's tokens reads the text. Cost: nothing where nothing is cut, else a
    pass over the lanes' texts.
    """

    def waiting(state: GenerateState) -> Bool[Array, " lanes"]:
        return over & (stop.cut[state.lanes.state] > 0)

    def cut(state: GenerateState) -> GenerateState:
        return _cut(stop, state, waiting(state))

    done: GenerateState = jax.lax.while_loop(lambda state: jnp.any(waiting(state)), cut, state)
    return done


def _cut(stop: Stop, state: GenerateState, cutting: Bool[Array, " lanes"]) -> GenerateState:
    """Some lanes' texts cut by what their automaton's state says, which is the first one then."""
    lanes, texts = state.lanes, state.texts
    tokens = texts.tokens.at[lanes.place].get(mode="clip")
    used = jnp.arange(tokens.shape[1], dtype=jnp.int32) < lanes.made[:, None]
    size = jnp.where(used, stop.tokens.length.at[tokens].get(mode="clip"), 0)
    end = jnp.cumsum(size, axis=1, dtype=jnp.int32)
    kept = end[:, -1] - stop.cut[lanes.state]
    inside = used & (end <= kept[:, None])
    whole = jnp.sum(inside, axis=1, dtype=jnp.int32)
    part = kept - jnp.max(end, axis=1, where=inside, initial=0)
    column = jnp.arange(stop.most_kept, dtype=jnp.int32)
    token = jnp.take_along_axis(tokens, whole[:, None], axis=1)
    byte = stop.tokens.content.at[stop.tokens.start[token] + column].get(mode="clip")
    place = jnp.where(cutting[:, None] & (column < part[:, None]), lanes.place[:, None], _NONE)
    written = texts.tokens.at[place, whole[:, None] + column].set(stop.of_byte[byte], mode="drop")
    return dataclasses.replace(
        state,
        texts=dataclasses.replace(texts, tokens=written),
        lanes=dataclasses.replace(
            lanes,
            made=jnp.where(cutting, whole + part, lanes.made),
            state=jnp.where(cutting, jnp.int32(START), lanes.state),
        ),
    )
