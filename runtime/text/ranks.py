"""The order of generated texts among themselves."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.group import sorted_groups
from sqlax.runtime.relation import BITS, Column
from sqlax.runtime.text.spelled import WORD_BYTES, Spelled


class _Refined(NamedTuple):
    """Ranks by the words before `number`; texts that are equal so far share one."""

    number: Int[Array, ""]
    piece: Int[Array, " texts"]
    rank: Int[Array, " texts"]
    open: Bool[Array, ""]


def ranks(texts: Spelled, valid: Bool[Array, " texts"]) -> Int[Array, " texts"]:
    """The dense rank of each text in byte order, int32; the number of texts where not valid.

    Equal texts have equal ranks, whatever tokens they are made of. A radix sort of strings from
    the most significant word on (MSD; Bentley and Sedgewick, 1997), all texts side by side: each
    turn sorts by the rank so far and the next seven bytes.

    Cost: O(texts log texts) and about two sorts of an int64 for each word, up to the first by
    which every two different texts differ; equal texts are read to their end.
    """
    start = _Refined(
        jnp.int32(0),
        texts.first,
        jnp.where(valid, 0, valid.shape[0]).astype(jnp.int32),
        jnp.any(valid),
    )
    return jax.lax.while_loop(
        lambda state: state.open, lambda state: _refined(texts, valid, state), start
    ).rank


def _refined(texts: Spelled, valid: Bool[Array, " texts"], state: _Refined) -> _Refined:
    """The ranks by one more word."""
    word, piece = texts.word_at(state.number, state.piece)
    rank, number = _rank(state.rank, word, valid), state.number + 1
    longer = valid & (texts.length > number * WORD_BYTES)
    tied = jnp.zeros(valid.shape, jnp.int32).at[rank].add(1, mode="drop")
    return _Refined(number, piece, rank, jnp.any(longer & (tied.at[rank].get(mode="clip") > 1)))


def _rank(
    rank: Int[Array, " texts"], word: Int[Array, " texts"], valid: Bool[Array, " texts"]
) -> Int[Array, " texts"]:
    """The dense rank by a rank so far and a word; the number of texts where not valid."""
    bits = next(bits for bits in BITS if valid.shape[0] <= 1 << bits)
    keys = (Column(rank, valid, jnp.zeros((), jnp.int64), bits), Column(word, valid))
    return sorted_groups(valid, keys, valid.shape[0]).of_row.astype(jnp.int32)
