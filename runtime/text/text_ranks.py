"""One order for all texts of a program: dictionary entries and what it has generated."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.places import places
from sqlax.runtime.text.ranks import ranks
from sqlax.runtime.text.spelled import Spelled

_HALF = 32
"""Bits of a rank below the place among the dictionary's entries."""


def text_ranks(
    codes: int,
    texts: Spelled,
    valid: Bool[Array, " texts"],
    dictionary: DictionaryBytes | None = None,
) -> Int[Array, " ids"]:
    """The rank of each text id, int64: ranks compare as the bytes of the texts do.

    Entry `d` has rank `(2d + 1) << 32`. A generated text that is equal to it has the same;
    another one has twice the number of entries less than it in the upper half, and one more than
    its rank among generated texts in the lower half.

    Cost: that of `ranks` and `places`.

    Args:
        codes: the dictionary's capacity; the first generated text has this id. Below 2**30.
        texts: all generated texts of the program.
        valid: which are there; others stand behind all that are in the same place.
        dictionary: None for one whose entries are never compared with generated texts.
    """
    known = _rank_of_entry(jnp.arange(codes, dtype=jnp.int32))
    own = ranks(texts, valid).astype(jnp.int64) + 1
    if dictionary is None:
        return jnp.concatenate([known, own])
    low, is_equal = places(texts, dictionary)
    between = ((2 * low.astype(jnp.int64)) << _HALF) | own
    return jnp.concatenate([known, jnp.where(is_equal, _rank_of_entry(low), between)])


def _rank_of_entry(code: Int[Array, " codes"]) -> Int[Array, " codes"]:
    return (2 * code.astype(jnp.int64) + 1) << _HALF


def representative(text_rank: Int[Array, " ids"], codes: int) -> Int[Array, " ids"]:
    """The first id with the rank of each id, int32: a dictionary code where there is one.

    Cost: O(ids), no sort.

    Args:
        text_rank: what `text_ranks` returns.
        codes: the dictionary's capacity.
    """
    made = text_rank[codes:]
    own = (made & ((1 << _HALF) - 1)).astype(jnp.int32)
    number = jnp.arange(made.shape[0], dtype=jnp.int32)
    first = jax.ops.segment_min(number, own, made.shape[0] + 2)
    code = (made >> (_HALF + 1)).astype(jnp.int32)
    same = jnp.where(own == 0, code, codes + first[own])
    return jnp.concatenate([jnp.arange(codes, dtype=jnp.int32), same])
