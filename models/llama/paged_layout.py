"""Where the new tokens of paged rows stand, what they see and where they are kept."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, Shaped

from sqlax.kvcache.paged import Place, places
from sqlax.models.language_model import PagedRows
from sqlax.models.tile import QUERY_BLOCK

BLOCKS = 12
"""Blocks of new tokens that attend together, as far as there are so many."""


class Blocks(NamedTuple):
    """The rows' new tokens cut into blocks of `QUERY_BLOCK`; those that see most stand first.

    Attributes:
        flat: the flat token of each slot; the row's last one for slots that hold none.
        slot: the slot of each flat token, blocks laid end to end; any slot for padding.
        seen: how many positions of its row each slot sees; 0 in blocks that hold none.
        table: the pages of each block's row in order.
    """

    flat: Int[Array, "blocks slots"]
    slot: Int[Array, " tokens"]
    seen: Int[Array, "blocks slots"]
    table: Int[Array, "blocks most"]


class PagedLayout(NamedTuple):
    """Index arrays made once and used by every layer.

    Attributes:
        blocks: None where token i is the only one of row i.
        position: each flat token's position in the text, prefix included.
        last: the flat token of each row's last new token.
        held: tokens of each row in its pages, new ones included; 0 for empty slots.
        place: where each flat token is kept.
        table: each row's pages in order.

    `last`, `held` and `table` have at least the `fewest` rows of `lay_out_paged`.
    """

    blocks: Blocks | None
    position: Int[Array, " tokens"]
    last: Int[Array, " rows"]
    held: Int[Array, " rows"]
    place: Place
    table: Int[Array, "rows most"]

    def in_layer(self, first: Int[Array, ""]) -> PagedLayout:
        """The same where the layer's page 0 is page `first` of the store."""
        blocks = self.blocks
        if blocks is not None:
            blocks = blocks._replace(table=blocks.table + first)
        return self._replace(
            blocks=blocks, place=self.place.behind(first), table=self.table + first
        )


def lay_out_paged(rows: PagedRows, prefix_length: Int[Array, ""], fewest: int) -> PagedLayout:
    """The layout of `rows` behind a prefix of `prefix_length` tokens, of `fewest` rows at least."""
    count, tokens = rows.length.shape[0], rows.tokens.shape[0]
    row = jnp.minimum(rows.row, count - 1)
    offset = jnp.arange(tokens, dtype=jnp.int32) - rows.start[row]
    position = rows.before[row] + offset
    kept = (rows.row < count) & (offset >= 0) & (offset < rows.length[row])
    return PagedLayout(
        blocks=_blocks(rows, row, offset),
        position=prefix_length + position,
        last=at_least(jnp.clip(rows.start + rows.length - 1, 0, tokens - 1), fewest),
        held=at_least(_held(rows), fewest),
        place=places(rows.table, row, position, kept),
        table=at_least(rows.table, fewest),
    )


def at_least(x: Shaped[Array, "*few"], fewest: int) -> Shaped[Array, "*enough"]:
    """`x` with zeros behind it up to `fewest` rows."""
    return jnp.pad(x, [(0, max(0, fewest - x.shape[0])), *[(0, 0)] * (x.ndim - 1)])


def with_empty_slots(rows: PagedRows, fewest: int) -> PagedRows:
    """Where each row brings one token: the same with empty slots up to `fewest`."""
    if rows.row_capacity > 1:
        return rows
    filled: PagedRows = jax.tree.map(lambda x: at_least(x, fewest), rows)
    return filled


def _held(rows: PagedRows) -> Int[Array, " rows"]:
    return jnp.where(rows.length > 0, rows.before + rows.length, 0)


def _blocks(
    rows: PagedRows, row: Int[Array, " tokens"], offset: Int[Array, " tokens"]
) -> Blocks | None:
    if rows.row_capacity == 1:
        _check_one_each(rows)
        return None
    cut = _cut(rows)
    count = cut.owner.shape[0]
    flat = rows.start[cut.owner][:, None] + jnp.minimum(
        cut.offset, rows.length[cut.owner][:, None] - 1
    )
    seen = rows.before[cut.owner][:, None] + cut.offset + 1
    seen = jnp.where(cut.used[:, None], jnp.minimum(seen, _held(rows)[cut.owner][:, None]), 0)
    longest_first = jnp.argsort(-seen.max(axis=1), stable=True).astype(jnp.int32)
    place = jnp.zeros(count, jnp.int32).at[longest_first].set(jnp.arange(count, dtype=jnp.int32))
    block = place.at[cut.first[row] + offset // QUERY_BLOCK].get(mode="clip")
    return Blocks(
        flat=jnp.clip(flat, 0, rows.tokens.shape[0] - 1)[longest_first],
        slot=jnp.clip(block * QUERY_BLOCK + offset % QUERY_BLOCK, 0, count * QUERY_BLOCK - 1),
        seen=seen[longest_first],
        table=jnp.where(cut.used[:, None], rows.table[cut.owner], 0)[longest_first],
    )


class _Cut(NamedTuple):
    """The blocks in the order of the rows: their rows, the slots' places among its new tokens.

    Attributes:
        owner: the row of each block.
        offset: which new token of the row each slot is for, those behind its last included.
        used: blocks that hold a token.
        first: the number of each row's first block.
    """

    owner: Int[Array, " blocks"]
    offset: Int[Array, "blocks slots"]
    used: Bool[Array, " blocks"]
    first: Int[Array, " rows"]


def _cut(rows: PagedRows) -> _Cut:
    each = (rows.length + (QUERY_BLOCK - 1)) // QUERY_BLOCK
    ends = jnp.cumsum(each, dtype=jnp.int32)
    number = jnp.arange(most_blocks(rows), dtype=jnp.int32)
    owner = jnp.sum(number[:, None] >= ends[None, :], axis=1, dtype=jnp.int32)
    owner = jnp.minimum(owner, ends.shape[0] - 1)
    begin = (number - (ends - each)[owner]) * QUERY_BLOCK
    offset = begin[:, None] + jnp.arange(QUERY_BLOCK, dtype=jnp.int32)
    return _Cut(owner, offset, number < ends[-1], ends - each)


def most_blocks(rows: PagedRows) -> int:
    """Blocks that the rows' new tokens can need, however they are shared out; a few more if many.

    Each row leaves at most one block that is not full.
    """
    count, tokens = rows.length.shape[0], rows.tokens.shape[0]
    longest = -(-rows.row_capacity // QUERY_BLOCK)
    most = min(count + max(0, tokens - count) // QUERY_BLOCK, count * longest)
    return most if most < BLOCKS else -(-most // BLOCKS) * BLOCKS


def _check_one_each(rows: PagedRows) -> None:
    if rows.tokens.shape != rows.length.shape:
        raise ValueError(
            f"a run of {rows.length.shape[0]} rows with one token each has {rows.tokens.shape[0]}"
        )
