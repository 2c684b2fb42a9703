"""How the fake model writes an answer, token by token, from what a row's pages hold.

A position of a page holds one int32: the token, whether it was generated, and how many tokens of
the answer have been written up to it::

    [ written | generated | token ]
      21 bits   1 bit       9 bits
"""

from __future__ import annotations

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.kvcache.paged import PAGE, Place, places, read_tokens, write_tokens
from sqlax.models.fake_rules import first_rule
from sqlax.models.language_model import PagedRows

_GENERATED = 1 << 9
_WRITTEN = 1 << 10
_NEXT = 20.0
_LATER = 4.0
_CLOSERS = '"}]'
_OPENERS = tuple(map(ord, '{["'))
_CHUNK = 512
"""Tokens of a prompt in one run, where it has more."""

Entries: TypeAlias = Int[Array, "pages page"]
"""What the pages hold, as above."""


def extend(
    params: Any, rows: PagedRows, pages: Entries
) -> tuple[Float[Array, "rows width"], Entries]:
    """Each row's rule and how many tokens of its answer are written, and the pages written to.

    A prompt may end in the beginning of a JSON answer, which was forced. Rules are looked for in
    prompts only.
    """
    place, offset = _places(rows)
    pages = write_tokens(pages, place, rows.tokens)
    goes_on, held = _goes_on(rows), read_tokens(pages, rows.table)
    rule = first_rule(params["pattern"], _prompt(rows, held, goes_on)).astype(jnp.int32)
    text = params["text"].at[rule].get(mode="clip")
    counts = _counts(text, rows, jnp.where(goes_on, _written(rows, held), -1))
    count = counts.at[rows.row, jnp.maximum(offset, 0)].get(mode="clip")
    length, end = rows.length.at[rows.row].get(mode="clip"), counts[:, -1]
    forced = offset >= length - end.at[rows.row].get(mode="clip")
    written = goes_on.at[rows.row].get(mode="clip") | forced
    entry = rows.tokens + jnp.where(written, _GENERATED + count * _WRITTEN, 0)
    pages = write_tokens(pages, place, entry)
    return jnp.stack([rule, end], axis=1).astype(jnp.float32), pages


def logits(params: Any, hidden: Float[Array, "rows 2"]) -> Float[Array, "rows vocabulary"]:
    """20 for the answer's next token or its end, less for its later ones, least for all others.

    Of the others, what closes a JSON text is best, so that a constrained answer comes to an end.
    """
    rule, written = hidden[:, 0].astype(jnp.int32), hidden[:, 1].astype(jnp.int32)
    text = params["text"].at[rule].get(mode="clip")
    ahead = jnp.arange(text.shape[1], dtype=jnp.int32)[None, :] - written[:, None]
    later = _LATER / (1 + jnp.maximum(ahead, 0)).astype(jnp.float32)
    liking = jnp.where(ahead == 0, jnp.float32(_NEXT), later)
    liking = jnp.where((ahead < 0) | ((ahead > 0) & (text == 256)), jnp.float32(-2), liking)
    others = jnp.broadcast_to(_others(), (text.shape[0], 257))
    row = jnp.arange(text.shape[0], dtype=jnp.int32)[:, None]
    return others.at[row, text].max(liking)


def _places(rows: PagedRows) -> tuple[Place, Int[Array, " tokens"]]:
    """Where each token is kept, and which of its row's new tokens it is."""
    index = jnp.arange(rows.tokens.shape[0], dtype=jnp.int32)
    row = jnp.minimum(rows.row, rows.length.shape[0] - 1)
    offset = index - rows.start[row]
    kept = (rows.row < rows.length.shape[0]) & (offset >= 0) & (offset < rows.length[row])
    return places(rows.table, row, rows.before[row] + offset, kept), offset


def _goes_on(rows: PagedRows) -> Bool[Array, " rows"]:
    """Whether new tokens are of the row's text: prompts come in runs of 512, or at most 16."""
    if rows.row_capacity < PAGE:
        return rows.before > 0
    return (rows.before % _CHUNK != 0) & (rows.row_capacity > PAGE)


def _prompt(
    rows: PagedRows, held: Int[Array, "rows width"], goes_on: Bool[Array, " rows"]
) -> Int[Array, "rows width"]:
    """The prompt's tokens, -1 elsewhere: new tokens of a text that goes on are none of them."""
    end = rows.before + jnp.where(goes_on, 0, rows.length)
    there = _positions(held) < end[:, None]
    return jnp.where(there & (held < _GENERATED), held, -1)


def _written(rows: PagedRows, held: Int[Array, "rows width"]) -> Int[Array, " rows"]:
    """How many tokens of the answer were written before this run."""
    last: Bool[Array, "rows width"] = _positions(held) == (rows.before - 1)[:, None]
    return jnp.max(jnp.where(last, held // _WRITTEN, 0), axis=1)


def _counts(
    text: Int[Array, "rows longest"], rows: PagedRows, written: Int[Array, " rows"]
) -> Int[Array, "rows capacity"]:
    """How many tokens of the answer are written after each of a row's new tokens.

    Args:
        text: each row's answer.
        rows: the new tokens.
        written: how many were written before; -1 where the tokens are a prompt's.
    """
    row = jnp.arange(text.shape[0], dtype=jnp.int32)
    reads, is_json = written < 0, jnp.any(text[:, :1] == jnp.asarray(_OPENERS, jnp.int32), axis=1)

    def step(count: Array, offset: Array) -> tuple[Array, Array]:
        token = rows.tokens.at[rows.start + offset].get(mode="clip")
        again = jnp.where(reads, (token == text[:, 0]).astype(jnp.int32), count)
        after = jnp.where(text.at[row, count].get(mode="clip") == token, count + 1, again)
        after = jnp.where((offset < rows.length) & (is_json | ~reads), after, count)
        return after, after

    offsets = jnp.arange(rows.row_capacity, dtype=jnp.int32)
    return jax.lax.scan(step, jnp.maximum(written, 0), offsets)[1].T


def _positions(held: Int[Array, "rows width"]) -> Int[Array, "1 width"]:
    return jnp.arange(held.shape[1], dtype=jnp.int32)[None, :]


def _others() -> Float[Array, " vocabulary"]:
    low = [-1 - token / 257 for token in range(257)]
    for place, closer in enumerate(_CLOSERS):
        low[ord(closer)] = -place / 257
    return jnp.asarray(low, jnp.float32)
