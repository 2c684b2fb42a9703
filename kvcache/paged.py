"""What pages hold: writing new tokens' arrays into them and reading a row's arrays back.

An array of pages has the pages on its first axis, and `PAGE` positions of one row in a page::

    pages  [pages, PAGE]               one number a token
    pages  [pages, kv, PAGE, dim]      one vector a token and head

A table holds each row's pages in order, 0 where it has none. Page 0 is nobody's: what has no place
is written there, and nothing that is read from it may matter. A page keeps what its last row left.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped

PAGE = 16
"""Positions of a page."""


class Place(NamedTuple):
    """Where the tokens of a run are kept: page 0 for those that are not."""

    page: Int[Array, " tokens"]
    offset: Int[Array, " tokens"]

    def behind(self, pages: Int[Array, ""]) -> Place:
        """The same places where the arrays have `pages` more pages in front."""
        return Place(self.page + pages, self.offset)


def places(
    table: Int[Array, "rows most"],
    row: Int[Array, " tokens"],
    position: Int[Array, " tokens"],
    kept: Bool[Array, " tokens"],
) -> Place:
    """Where each token is kept that stands at `position` of its row; int32."""
    page = table.at[row, position // PAGE].get(mode="clip")
    kept = kept & (position < table.shape[1] * PAGE)
    return Place(jnp.where(kept, page, 0), jnp.where(kept, position % PAGE, 0))


def write_tokens(
    pages: Shaped[Array, "pages page"], place: Place, new: Shaped[Array, " tokens"]
) -> Shaped[Array, "pages page"]:
    """`pages` with the tokens' numbers in place."""
    return pages.at[place.page, place.offset].set(new, mode="drop")


def write_heads(
    pages: Shaped[Array, "pages heads page dim"],
    place: Place,
    new: Shaped[Array, "tokens heads dim"],
) -> Shaped[Array, "pages heads page dim"]:
    """`pages` with the tokens' vectors in place.

    A bfloat16 must be written as its bits: XLA widens its scatter on a CPU to the whole buffer.
    """
    return pages.at[place.page, :, place.offset].set(new, mode="drop")


def read_tokens(
    pages: Shaped[Array, "pages page"], table: Int[Array, "rows most"]
) -> Shaped[Array, "rows positions"]:
    """The rows' numbers, `PAGE` positions a page of `table`."""
    return pages.at[table].get(mode="clip").reshape(table.shape[0], -1)


def read_heads(
    pages: Shaped[Array, "pages heads page dim"], table: Int[Array, "rows most"]
) -> Shaped[Array, "rows heads positions dim"]:
    """The rows' vectors as attention wants them, `PAGE` positions a page of `table`."""
    held = pages.at[table].get(mode="clip", wrap_negative_indices=False).transpose(0, 2, 1, 3, 4)
    return held.reshape(*held.shape[:2], -1, held.shape[4])


def to_bits(x: Shaped[Array, "*shape"]) -> Shaped[Array, "*shape"]:
    """bfloat16 as the uint16 of the same bits; any other dtype as it is."""
    return jax.lax.bitcast_convert_type(x, jnp.uint16) if x.dtype == jnp.bfloat16 else x


def from_bits(x: Shaped[Array, "*shape"]) -> Shaped[Array, "*shape"]:
    """What `to_bits` was given."""
    return jax.lax.bitcast_convert_type(x, jnp.bfloat16) if x.dtype == jnp.uint16 else x
