"""Where the new tokens of paged rows stand, what they see and where they are kept."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int, Shaped

from sqlax.kvcache.paged import Place, places
from sqlax.models.language_model import PagedRows


class NewSlots(NamedTuple):
    """Index arrays between flat tokens and rows of as many slots as a row may have new tokens.

    Attributes:
        flat: the flat token of each slot; the row's last one for slots that hold none.
        slot: the slot of each flat token, rows laid end to end; any slot for padding.
        seen: how many positions of its row each slot sees.
    """

    flat: Int[Array, "rows slots"]
    slot: Int[Array, " tokens"]
    seen: Int[Array, "rows slots"]


class PagedLayout(NamedTuple):
    """Index arrays made once and used by every layer.

    Attributes:
        rows: None where token i is the only one of row i.
        position: each flat token's position in the text, prefix included.
        last: the flat token of each row's last new token.
        held: tokens of each row in its pages, new ones included; 0 for empty slots.
        place: where each flat token is kept.
        table: each row's pages in order.

    `last`, `held` and `table` have at least the `fewest` rows of `lay_out_paged`.
    """

    rows: NewSlots | None
    position: Int[Array, " tokens"]
    last: Int[Array, " rows"]
    held: Int[Array, " rows"]
    place: Place
    table: Int[Array, "rows most"]

    def in_layer(self, first: Int[Array, ""]) -> PagedLayout:
        """The same where the layer's page 0 is page `first` of the store."""
        return self._replace(place=self.place.behind(first), table=self.table + first)


def lay_out_paged(rows: PagedRows, prefix_length: Int[Array, ""], fewest: int) -> PagedLayout:
    """The layout of `rows` behind a prefix of `prefix_length` tokens, of `fewest` rows at least."""
    count, tokens = rows.length.shape[0], rows.tokens.shape[0]
    row = jnp.minimum(rows.row, count - 1)
    offset = jnp.arange(tokens, dtype=jnp.int32) - rows.start[row]
    position = rows.before[row] + offset
    kept = (rows.row < count) & (offset >= 0) & (offset < rows.length[row])
    return PagedLayout(
        rows=_slots(rows, rows.row * rows.row_capacity + offset),
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


def _slots(rows: PagedRows, slot: Int[Array, " tokens"]) -> NewSlots | None:
    if rows.row_capacity == 1:
        _check_one_each(rows)
        return None
    slots = jnp.arange(rows.row_capacity, dtype=jnp.int32)[None, :]
    flat = rows.start[:, None] + jnp.minimum(slots, rows.length[:, None] - 1)
    flat = jnp.clip(flat, 0, slot.shape[0] - 1)
    seen = jnp.minimum(rows.before[:, None] + slots + 1, _held(rows)[:, None])
    most = rows.length.shape[0] * rows.row_capacity
    return NewSlots(flat, jnp.clip(slot, 0, most - 1), seen)


def _check_one_each(rows: PagedRows) -> None:
    if rows.tokens.shape != rows.length.shape:
        raise ValueError(
            f"a run of {rows.length.shape[0]} rows with one token each has {rows.tokens.shape[0]}"
        )
