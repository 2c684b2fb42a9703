"""Where the tokens of packed rows stand, and which of them see which.

The linear layers run over the flat tokens; attention runs over rows of `row_capacity` slots::

    flat  [ row 0 prompt | nodes | row 1 prompt | nodes | padding ]
    rows  [ row 0 prompt | nodes | empty ... ]
          [ row 1 prompt | nodes | empty ... ]
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.models.language_model import LabelTrie, PackedRows

WHOLE = 512
"""Longest row, in tokens, whose scores are computed at once."""


class RowMask(NamedTuple):
    """Which slots of a row see which others of it, for any block of queries and keys.

    A slot sees itself and the slots before it, but a trie node only its ancestors among nodes.

    Attributes:
        prompt_length: prompt tokens of each row.
        ancestors: 1.0 where the slot's token is a node and the other node is its ancestor.
        node: 1.0 where the slot's token is that node.
    """

    prompt_length: Int[Array, " rows"]
    ancestors: Float[Array, "rows slots nodes"]
    node: Float[Array, "rows slots nodes"]

    def block(
        self, query: Int[Array, ""] | int, queries: int, key: Int[Array, ""] | int, keys: int
    ) -> Bool[Array, "#rows 1 1 queries keys"]:
        """The mask of `queries` slots from `query` on against `keys` slots from `key` on."""
        asking = query + jnp.arange(queries, dtype=jnp.int32)[None, :]
        asked = key + jnp.arange(keys, dtype=jnp.int32)[None, :]
        of = jax.lax.dynamic_slice_in_dim(self.ancestors, query, queries, 1)
        to = jax.lax.dynamic_slice_in_dim(self.node, key, keys, 1)
        return self._sees(asking, asked, of, to)

    def reads(self) -> Bool[Array, "rows 1 1 reads slots"]:
        """The mask of each row's scored slots against all its slots."""
        _, slots, nodes = self.node.shape
        asking = self.prompt_length[:, None] - 1 + jnp.arange(1 + nodes, dtype=jnp.int32)[None, :]
        asking = jnp.clip(asking, 0, slots - 1)
        of = jnp.take_along_axis(self.ancestors, asking[:, :, None], 1, mode="clip")
        return self._sees(asking, jnp.arange(slots, dtype=jnp.int32)[None, :], of, self.node)

    def _sees(
        self,
        asking: Int[Array, "#rows queries"],
        asked: Int[Array, "1 keys"],
        of: Float[Array, "rows queries nodes"],
        to: Float[Array, "rows keys nodes"],
    ) -> Bool[Array, "#rows 1 1 queries keys"]:
        q, k = asking[:, :, None], asked[:, None, :]
        seen = k <= q
        if of.shape[2]:
            related = jnp.einsum("rqn,rkn->rqk", of, to) > 0
            seen &= (k < self.prompt_length[:, None, None]) | (k == q) | related
        return seen[:, None, None]


class Layout(NamedTuple):
    """Index arrays between flat tokens and rows, made once and used by every layer.

    Attributes:
        flat: the flat token of each slot; the row's last one for slots that hold none, so that
            nothing of another row gets into this one.
        slot: the slot of each flat token, rows laid end to end; any slot for padding.
        position: each flat token's position in the text, prefix included.
        scored: the flat tokens whose hidden state is read: each row's last prompt token, then
            its nodes.
        mask: which slots see which.
        whole: the same of all slots at once; None where rows are too long for that.
    """

    flat: Int[Array, "rows slots"]
    slot: Int[Array, " tokens"]
    position: Int[Array, " tokens"]
    scored: Int[Array, "rows reads"]
    mask: RowMask
    whole: Bool[Array, "#rows 1 1 slots slots"] | None


def lay_out(rows: PackedRows, labels: LabelTrie | None, before: Int[Array, ""]) -> Layout:
    """The layout of `rows` behind a prefix of `before` tokens; without `labels`, no nodes."""
    depth = jnp.zeros(0, jnp.int32) if labels is None else labels.node_depth
    nodes = depth.shape[0]
    index = jnp.arange(rows.tokens.shape[0], dtype=jnp.int32)
    offset = index - rows.start.at[rows.row].get(mode="clip")
    slots = jnp.arange(rows.row_capacity, dtype=jnp.int32)[None, :]
    length, start = rows.prompt_length[:, None], rows.start[:, None]
    last, slot = length + (nodes - 1), rows.row * rows.row_capacity + offset
    reads = length - 1 + jnp.arange(1 + nodes, dtype=jnp.int32)[None, :]
    mask, all_slots = _mask(rows, labels, slots), rows.row_capacity
    return Layout(
        flat=jnp.clip(start + jnp.minimum(slots, last), 0, rows.tokens.shape[0] - 1),
        slot=jnp.clip(slot, 0, rows.prompt_length.shape[0] * rows.row_capacity - 1),
        position=before + _text_offset(rows, offset, depth),
        scored=jnp.clip(start + reads, 0, rows.tokens.shape[0] - 1),
        mask=mask,
        whole=mask.block(0, all_slots, 0, all_slots) if all_slots <= WHOLE else None,
    )


def _text_offset(
    rows: PackedRows, offset: Int[Array, " tokens"], depth: Int[Array, " nodes"]
) -> Int[Array, " tokens"]:
    """Tokens between the prefix and each token: siblings in the trie stand at one position."""
    if not depth.shape[0]:
        return offset
    length = rows.prompt_length.at[rows.row].get(mode="clip")
    below = depth.at[offset - length].get(mode="clip")
    return jnp.where(offset < length, offset, length - 1 + below)


def _mask(rows: PackedRows, labels: LabelTrie | None, slots: Int[Array, "1 slots"]) -> RowMask:
    nodes = 0 if labels is None else labels.node_token.shape[0]
    number = slots - rows.prompt_length[:, None]
    node = jax.nn.one_hot(number, nodes, dtype=jnp.float32)
    ancestors = node
    if labels is not None and nodes:
        ancestors = jnp.einsum("rsn,nm->rsm", node, labels.ancestors.astype(jnp.float32))
    return RowMask(rows.prompt_length, ancestors, node)
