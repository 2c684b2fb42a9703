"""Where generated texts stand among the dictionary's entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.spelled import WORD_BYTES, Spelled


class _Range(NamedTuple):
    """The entries that begin with the words of each text before `number`: low to high - 1."""

    number: Int[Array, ""]
    piece: Int[Array, " texts"]
    low: Int[Array, " texts"]
    high: Int[Array, " texts"]

    def open(self, texts: Spelled) -> Bool[Array, " texts"]:
        """Whether a text has another word, and entries to compare it with."""
        return (self.low < self.high) & (texts.length >= self.number * WORD_BYTES)


def places(
    texts: Spelled, dictionary: DictionaryBytes
) -> tuple[Int[Array, " texts"], Bool[Array, " texts"]]:
    """The first entry not less than each text, int32, and whether it is equal to the text.

    A binary search of the entries that share what has been read of a text, a word at a time, so
    that no word is read twice (as in a search of sorted suffixes: Manber and Myers, 1993).

    Cost: for each word, up to the last that a text shares with an entry, as many turns as the
    logarithm of the most entries that a text still has to be compared with.
    """
    nothing = jnp.zeros(texts.length.shape, jnp.int32)
    start = _Range(jnp.int32(0), texts.first, nothing, nothing + dictionary.count)
    found = jax.lax.while_loop(
        lambda state: jnp.any(state.open(texts)),
        lambda state: _narrowed(texts, dictionary, state),
        start,
    )
    return found.low, found.low < found.high


def _narrowed(texts: Spelled, dictionary: DictionaryBytes, state: _Range) -> _Range:
    """The entries that share one more word."""
    word, piece = texts.word_at(state.number, state.piece)
    going = state.open(texts)

    def reach(least: Int[Array, " texts"]) -> Callable[[Array], Array]:
        return lambda code: dictionary.word_at(state.number, code) >= least

    low = _first_where(reach(word), state.low, jnp.where(going, state.high, state.low))
    high = _first_where(reach(word + 1), low, jnp.where(going, state.high, low))
    return _Range(state.number + 1, piece, low, jnp.where(going, high, state.high))


def _first_where(
    holds: Callable[[Array], Array], low: Int[Array, " texts"], high: Int[Array, " texts"]
) -> Int[Array, " texts"]:
    """The first number of low to high - 1 for which `holds`, as for all behind it; else high."""

    def halved(bounds: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = bounds
        middle = low + (high - low) // 2
        found, is_open = holds(middle), low < high
        behind = jnp.where(is_open & ~found, middle + 1, low)
        return behind, jnp.where(is_open & found, middle, high)

    return jax.lax.while_loop(lambda bounds: jnp.any(bounds[0] < bounds[1]), halved, (low, high))[0]
