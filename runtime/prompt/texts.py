"""The tokens behind text ids: those of dictionary entries and those the program has written.

A text id is a dictionary code, or `first_id + k` for the k-th text of a generate operator.
Positions count through the pool, then through the texts of each operator.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.prompt.inputs import TokenPool


class Written(NamedTuple):
    """What one generate operator has written so far; all int32.

    Attributes:
        first_id: text id of its first text; a number of the program's shape.
        tokens: the tokens of each text.
        length: tokens of each text.
    """

    first_id: int
    tokens: Int[Array, "places most_tokens"]
    length: Int[Array, " places"]

    def holds(self, text: Int[Array, "*shape"]) -> Bool[Array, "*shape"]:
        """Whether ids are of texts of this operator."""
        return (text >= self.first_id) & (text < self.first_id + self.length.shape[0])


class TextTokens(NamedTuple):
    """Where a model's prompts read the tokens of texts.

    Attributes:
        pool: the tokens of the dictionary's texts and of constants.
        written: the texts that the same model has written.
    """

    pool: TokenPool
    written: tuple[Written, ...] = ()

    def length(self, lead: int, text: Int[Array, "*shape"]) -> Int[Array, "*shape"]:
        """Tokens of each text; int32."""
        length = self.pool.length[lead].at[text].get(mode="clip")
        for made in self.written:
            own = made.length.at[text - made.first_id].get(mode="clip")
            length = jnp.where(made.holds(text), own, length)
        return length

    def start(self, lead: int, text: Int[Array, "*shape"]) -> Int[Array, "*shape"]:
        """The position of each text's first token; int32."""
        start = self.pool.start[lead].at[text].get(mode="clip")
        base = self.pool.tokens.shape[0]
        for made in self.written:
            own = base + (text - made.first_id) * made.tokens.shape[1]
            start = jnp.where(made.holds(text), own, start)
            base += made.tokens.size
        return start

    def at(self, position: Int[Array, "*shape"]) -> Int[Array, "*shape"]:
        """The token at each position; int32."""
        tokens = jnp.take(self.pool.tokens, position, mode="clip")
        base = self.pool.tokens.shape[0]
        for made in self.written:
            own = jnp.take(made.tokens.reshape(-1), position - base, mode="clip")
            tokens = jnp.where(position >= base, own, tokens)
            base += made.tokens.size
        return tokens

    def loaded(self, text: Int[Array, "*shape"]) -> Bool[Array, "*shape"]:
        """Whether a text is in a window of the pool, or written."""
        one = text[..., None]
        found = jnp.any((one >= self.pool.first) & (one < self.pool.last), axis=-1)
        for made in self.written:
            found |= made.holds(text)
        return found
