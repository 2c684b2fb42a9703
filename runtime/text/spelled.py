"""Generated texts as bytes, read where their tokens lie: no array has a place for every byte.

A text is cut into pieces, the tokens that it has bytes of, without the blanks at its ends. Who
reads it goes through it with a cursor, the piece that holds the byte read last.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt8

from sqlax.runtime.text.token_bytes import TokenBytes

WORD_BYTES = 7
"""Bytes of a word: with their number, 59 bits of a non-negative int64."""
_COUNT_BITS = 3
_FAR = 1 << 30


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Spelled:
    """The bytes of texts; all int32 beside `content`.

    Attributes:
        content: the bytes of all tokens.
        end: bytes of its text up to the end of each piece; pieces lie text by text.
        shift: byte `n` of a text, if it lies in this piece, is `content[n + shift]`.
        first: the first piece of each text.
        length: bytes of each text.
        characters: Unicode code points of each text.
    """

    content: UInt8[Array, " content"]
    end: Int[Array, " pieces"]
    shift: Int[Array, " pieces"]
    first: Int[Array, " texts"]
    length: Int[Array, " texts"]
    characters: Int[Array, " texts"]

    def byte_at(
        self, position: Int[Array, "*texts"], piece: Int[Array, " texts"]
    ) -> tuple[Int[Array, " texts"], Int[Array, " texts"]]:
        """The byte at a position of each text, int32, and the piece that holds it.

        0 behind a text's end, where nothing may be read afterwards. Cost: three gathers.

        Args:
            position: one for each text or for all, int32.
            piece: which holds that byte or the one before; `first` for the byte at 0.
        """
        inside = position < self.length
        piece = piece + (inside & (position >= self._of(self.end, piece)))
        place = position + self._of(self.shift, piece)
        byte = self.content.at[place].get(mode="clip").astype(jnp.int32)
        return jnp.where(inside, byte, 0), piece

    def word_at(
        self, number: Int[Array, ""], piece: Int[Array, " texts"]
    ) -> tuple[Int[Array, " texts"], Int[Array, " texts"]]:
        """A word of each text, int64, and the piece that holds its last byte; needs 64-bit mode.

        Words compare as the bytes do, one after the other: see `word_of`. Cost: 21 gathers.

        Args:
            number: 0 for the word of the first bytes; int32.
            piece: which holds the byte before that word, or its first one.
        """
        start, read = number * WORD_BYTES, list[Int[Array, " texts"]]()
        for place in range(WORD_BYTES):
            byte, piece = self.byte_at(start + place, piece)
            read.append(byte)
        return word_of(jnp.stack(read, axis=-1), self.length - start), piece

    def _of(
        self, values: Int[Array, " pieces"], piece: Int[Array, " texts"]
    ) -> Int[Array, " texts"]:
        return values.at[piece].get(mode="clip")


def word_of(read: Int[Array, "texts 7"], left: Int[Array, " texts"]) -> Int[Array, " texts"]:
    """Seven bytes and how many of them are the text's, as one non-negative int64.

    Two texts are in byte order as their sequences of words are in lexicographic order, whatever
    bytes they hold: where the bytes of two words are the same, zeros for missing ones, the word
    with fewer bytes ends a text that the other one continues with NUL. The word with fewer than
    seven bytes is a text's last.

    Args:
        read: bytes in order, 0 behind a text's end; int32.
        left: bytes from here to the text's end, int32; may be negative.
    """
    weight = jnp.arange(WORD_BYTES - 1, -1, -1, dtype=jnp.int64) * 8 + _COUNT_BITS
    packed = jnp.sum(read.astype(jnp.int64) << weight, axis=-1, dtype=jnp.int64)
    return packed | jnp.clip(left, 0, WORD_BYTES).astype(jnp.int64)


def spelled(
    tokens: Int[Array, "texts most_tokens"], length: Int[Array, " texts"], vocabulary: TokenBytes
) -> Spelled:
    """The bytes of token rows, int32, without blanks at either end.

    Cost: O(texts * most_tokens) time and memory, however long the tokens are.

    Args:
        tokens: token ids, anything behind a row's length.
        length: tokens of each row, int32.
        vocabulary: what the tokens spell.
    """
    used = jnp.arange(tokens.shape[1], dtype=jnp.int32) < length[:, None]
    size = jnp.where(used, _of_token(vocabulary.length, tokens), 0)
    end = jnp.cumsum(size, axis=1, dtype=jnp.int32)
    leading = _of_token(vocabulary.leading, tokens)
    inked = leading < size
    first = jnp.min(end - size + leading, axis=1, where=inked, initial=_FAR)
    last = jnp.max(end - _of_token(vocabulary.trailing, tokens), axis=1, where=inked, initial=0)
    first = jnp.minimum(first, last)[:, None]
    begin, stop = jnp.maximum(end - size, first), jnp.minimum(end, last[:, None])
    kept = begin < stop
    # Each of the blanks that are cut off is one character.
    characters = _of_token(vocabulary.characters, tokens) - (size - (stop - begin))
    shift = _of_token(vocabulary.start, tokens) - (end - size) + first
    return Spelled(
        content=vocabulary.content,
        end=_packed(stop - first, kept),
        shift=_packed(shift, kept),
        first=_before(jnp.sum(kept, axis=1, dtype=jnp.int32)),
        length=last - first[:, 0],
        characters=jnp.sum(characters, axis=1, where=kept, dtype=jnp.int32),
    )


def _of_token(
    values: Int[Array, " vocabulary"], tokens: Int[Array, "texts most_tokens"]
) -> Int[Array, "texts most_tokens"]:
    return values.at[tokens].get(mode="clip")


def _packed(
    values: Int[Array, "texts most_tokens"], kept: Bool[Array, "texts most_tokens"]
) -> Int[Array, " pieces"]:
    """The values that are kept, in order, zeros behind them."""
    flat = kept.reshape(-1)
    place = jnp.where(flat, _before(flat.astype(jnp.int32)), kept.size)
    packed = jnp.zeros(kept.size, jnp.int32)
    return packed.at[place].set(values.reshape(-1), mode="drop")


def _before(counts: Int[Array, " places"]) -> Int[Array, " places"]:
    """The sum of all counts before each place, int32."""
    return jnp.cumsum(counts, dtype=jnp.int32) - counts


def joined(parts: Sequence[Spelled]) -> Spelled:
    """The texts of all parts, one part behind the other. Cost: a copy.

    Parts may differ in their vocabulary and in the tokens of a text. There is one at least.
    """
    source = _before_each([part.content.shape[0] for part in parts])
    piece = _before_each([part.end.shape[0] for part in parts])
    shift = [part.shift + begun for part, begun in zip(parts, source, strict=True)]
    first = [part.first + begun for part, begun in zip(parts, piece, strict=True)]
    return Spelled(
        content=jnp.concatenate([part.content for part in parts]),
        end=jnp.concatenate([part.end for part in parts]),
        shift=jnp.concatenate(shift),
        first=jnp.concatenate(first),
        length=jnp.concatenate([part.length for part in parts]),
        characters=jnp.concatenate([part.characters for part in parts]),
    )


def _before_each(sizes: Sequence[int]) -> list[int]:
    return [sum(sizes[:number]) for number in range(len(sizes))]


def text_length(texts: Spelled) -> Int[Array, " texts"]:
    """The length of each text as DuckDB's `length` counts it: Unicode code points, int64."""
    return texts.characters.astype(jnp.int64)
