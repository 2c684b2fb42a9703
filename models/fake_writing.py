"""How the fake model writes an answer, token by token, from what a row's pages hold.

A position of a page holds one int32: the token, and how many tokens of the answer have been written
up to it::

    [ written | token ]
      22 bits   9 bits
"""

from __future__ import annotations

from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.kvcache.paged import Place, places, read_tokens, write_tokens
from sqlax.models.fake_rules import first_rule
from sqlax.models.language_model import PagedRows

_WRITTEN = 1 << 9
_NEXT = 20.0
_LATER = 4.0
_CLOSERS = '"}]'

Entries: TypeAlias = Int[Array, "pages page"]
"""What the pages hold, as above."""


def extend(
    params: Any, rows: PagedRows, pages: Entries
) -> tuple[Float[Array, "rows width"], Entries]:
    """Each row's rule and how many tokens of its answer are written, and the pages written to.

    Rules are looked for in prompts only.
    """
    place, offset = _places(rows)
    pages = write_tokens(pages, place, rows.tokens)
    held = read_tokens(pages, rows.table)
    rule = first_rule(params["pattern"], _prompt(rows, held)).astype(jnp.int32)
    text = params["text"].at[rule].get(mode="clip")
    counts = _counts(text, rows, _written(rows, held))
    count = counts.at[rows.row, jnp.maximum(offset, 0)].get(mode="clip")
    pages = write_tokens(pages, place, rows.tokens + count * _WRITTEN)
    return jnp.stack([rule, counts[:, -1]], axis=1).astype(jnp.float32), pages


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


def _prompt(rows: PagedRows, held: Int[Array, "rows width"]) -> Int[Array, "rows width"]:
    """The prompt's tokens, -1 elsewhere."""
    end = jnp.minimum(rows.prompt, rows.before + rows.length)
    return jnp.where(_positions(held) < end[:, None], held % _WRITTEN, -1)


def _written(rows: PagedRows, held: Int[Array, "rows width"]) -> Int[Array, " rows"]:
    """How many tokens of the answer were written before this run."""
    last: Bool[Array, "rows width"] = _positions(held) == (rows.before - 1)[:, None]
    return jnp.max(jnp.where(last, held // _WRITTEN, 0), axis=1)


def _counts(
    text: Int[Array, "rows longest"], rows: PagedRows, written: Int[Array, " rows"]
) -> Int[Array, "rows capacity"]:
    """How many tokens of the answer `text` are written after each of a row's new tokens."""
    row = jnp.arange(text.shape[0], dtype=jnp.int32)

    def step(count: Array, offset: Array) -> tuple[Array, Array]:
        token = rows.tokens.at[rows.start + offset].get(mode="clip")
        is_text = (offset < rows.length) & (rows.before + offset >= rows.prompt)
        after = is_text & (text.at[row, count].get(mode="clip") == token)
        count = count + after.astype(jnp.int32)
        return count, count

    offsets = jnp.arange(rows.row_capacity, dtype=jnp.int32)
    return jax.lax.scan(step, written, offsets)[1].T


def _positions(held: Int[Array, "rows width"]) -> Int[Array, "1 width"]:
    return jnp.arange(held.shape[1], dtype=jnp.int32)[None, :]


def _others() -> Float[Array, " vocabulary"]:
    low = [-1 - token / 257 for token in range(257)]
    for place, closer in enumerate(_CLOSERS):
        low[ord(closer)] = -place / 257
    return jnp.asarray(low, jnp.float32)
