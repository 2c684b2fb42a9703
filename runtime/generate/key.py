"""A row's key: a hash of its prompt's tokens, so that no other row has a part in it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, UInt32

from sqlax.models.language_model import PagedRows

_BASE = 0x01000193
"""The prime of FNV-1, as the base of a polynomial."""


def hashed(key: UInt32[Array, " rows"], rows: PagedRows) -> UInt32[Array, " rows"]:
    """The hashes of longer prompts: `key` of what stood before, then the rows' new tokens; uint32.

    A polynomial in the tokens modulo 2**32, the last token with power 0: it does not matter how a
    prompt is cut into chunks.
    """
    count = rows.length.shape[0]
    power = _powers(rows.row_capacity + 1)
    inside = jnp.minimum(rows.row, count - 1)
    offset = jnp.arange(rows.tokens.shape[0], dtype=jnp.int32) - rows.start[inside]
    behind = rows.length[inside] - 1 - offset
    term = (rows.tokens.astype(jnp.uint32) + 1) * power.at[behind].get(mode="clip")
    own = jax.ops.segment_sum(term, rows.row, count + 1)[:count]
    return key * power.at[rows.length].get(mode="clip") + own.astype(jnp.uint32)


def _powers(count: int) -> UInt32[Array, " powers"]:
    base = jnp.full(count, _BASE, jnp.uint32).at[0].set(1)
    return jnp.cumprod(base, dtype=jnp.uint32)
