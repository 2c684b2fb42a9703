"""Attention of packed rows to themselves and to the prefix that all of them share."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from sqlax.kvcache.prefix import Cache, Shared
from sqlax.models.llama.rows import WHOLE, Layout, RowMask
from sqlax.models.llama.softmax import Partial, attend, finish, join, with_one

BLOCK = 256
"""Queries and keys a step where rows are long: all scores at once would not fit."""


class KeyValue(NamedTuple):
    """Flat tokens' keys and values in one layer, in the weights' dtype."""

    key: Float[Array, "tokens kv dim"]
    value: Float[Array, "tokens kv dim"]


def to_cache(own: KeyValue) -> Cache:
    """The keys and values of a prefix, kept for the rows behind it."""
    return Cache(own.key.transpose(1, 0, 2), with_one(own.value.transpose(1, 0, 2)))


@jax.named_scope("attention")
def attend_packed(
    query: Float[Array, "tokens heads dim"], own: KeyValue, layout: Layout, prefix: Shared | None
) -> Float[Array, "tokens width"]:
    """Every flat token's attention to its own row and to the prefix."""
    key, value = _keys_to_rows(own, layout)
    asking = to_rows(query, layout.flat, own.key.shape[1])
    rows = _attend_rows(asking, key, value, layout)
    return with_prefix(Partial(*(to_flat(x, layout.slot) for x in rows)), query, prefix)


@jax.named_scope("attention")
def attend_reads(
    query: Float[Array, "reads heads dim"], own: KeyValue, layout: Layout, prefix: Shared | None
) -> Float[Array, "reads width"]:
    """The same for each row's scored tokens only, row by row."""
    index = jnp.arange(query.shape[0], dtype=jnp.int32).reshape(layout.scored.shape)
    key, value = _keys_to_rows(own, layout)
    rows = attend(to_rows(query, index, own.key.shape[1]), key, value, layout.mask.reads())
    part = Partial(*(to_flat(x, index.reshape(-1)) for x in rows))
    return with_prefix(part, query, prefix)


def _keys_to_rows(
    own: KeyValue, layout: Layout
) -> tuple[Float[Array, "rows kv slots dim"], Float[Array, "rows kv slots dim_and_1"]]:
    kv = own.key.shape[1]
    key, value = (to_rows(x, layout.flat, kv)[:, :, 0] for x in own)
    return key, with_one(value)


def to_rows(
    x: Float[Array, "tokens heads dim"], flat: Int[Array, "rows slots"], kv: int
) -> Float[Array, "rows kv group slots dim"]:
    """Flat tokens as rows of slots, query heads by the key head they share."""
    rows = x.at[flat].get(mode="promise_in_bounds", wrap_negative_indices=False)
    rows = rows.reshape(*flat.shape, kv, x.shape[1] // kv, x.shape[2])
    return rows.transpose(0, 2, 3, 1, 4)


def to_flat(
    x: Float[Array, "rows kv group slots size"], slot: Int[Array, " tokens"]
) -> Float[Array, "tokens heads size"]:
    """The rows' slots as flat tokens again."""
    rows, kv, group, slots, size = x.shape
    flat = x.transpose(0, 3, 1, 2, 4).reshape(rows * slots, kv * group, size)
    return flat.at[slot].get(mode="promise_in_bounds", wrap_negative_indices=False)


def _attend_rows(
    query: Float[Array, "rows kv group slots dim"],
    key: Float[Array, "rows kv slots dim"],
    value: Float[Array, "rows kv slots dim_and_1"],
    layout: Layout,
) -> Partial:
    if layout.whole is not None:
        return attend(query, key, value, layout.whole)
    return _attend_blocks(query, key, value, layout.mask)


def _attend_blocks(
    query: Float[Array, "rows kv group slots dim"],
    key: Float[Array, "rows kv slots dim"],
    value: Float[Array, "rows kv slots dim_and_1"],
    mask: RowMask,
) -> Partial:
    """A loop over blocks of queries, in it one over the blocks of keys up to the same slot."""
    if query.shape[3] % BLOCK:
        raise ValueError(f"a row capacity of {query.shape[3]} is not a multiple of {BLOCK}")

    def block(i: Int[Array, ""]) -> Partial:
        asking = jax.lax.dynamic_slice_in_dim(query, i * BLOCK, BLOCK, 3)

        def against(j: Int[Array, ""]) -> Partial:
            k, v = (jax.lax.dynamic_slice_in_dim(x, j * BLOCK, BLOCK, 2) for x in (key, value))
            return attend(asking, k, v, mask.block(i * BLOCK, BLOCK, j * BLOCK, BLOCK))

        def step(j: Int[Array, ""], part: Partial) -> Partial:
            return join(part, against(j))

        whole: Partial = jax.lax.fori_loop(jnp.int32(0), i, step, against(i))
        return whole

    parts = jax.lax.map(block, jnp.arange(query.shape[3] // BLOCK, dtype=jnp.int32))
    joined = (jnp.moveaxis(x, 0, 3).reshape(*query.shape[:4], x.shape[-1]) for x in parts)
    return Partial(*joined)


def with_prefix(
    own: Partial, query: Float[Array, "tokens heads dim"], prefix: Shared | None
) -> Float[Array, "tokens width"]:
    """Attention's result from what was found in the row and what `prefix` adds to it."""
    shared = None if prefix is None else _attend_prefix(query, prefix)
    return finish(own, shared).reshape(query.shape[0], -1)


def _attend_prefix(query: Float[Array, "tokens heads dim"], prefix: Shared) -> Partial:
    """One product of all tokens with the prefix, a block of tokens at a time if it is long."""
    tokens, heads, dim = query.shape
    key, value = (x[None] for x in prefix.cache)
    present = prefix.present[None, None, None, None]

    def block(asking: Float[Array, "tokens heads dim"]) -> Partial:
        grouped = asking.reshape(-1, key.shape[1], heads // key.shape[1], dim)
        part = attend(grouped.transpose(1, 2, 0, 3)[None], key, value, present)
        return Partial(*(x[0].transpose(2, 0, 1, 3).reshape(-1, heads, x.shape[-1]) for x in part))

    if key.shape[2] <= WHOLE or tokens % BLOCK:
        return block(query)
    parts = jax.lax.map(block, query.reshape(-1, BLOCK, heads, dim))
    return Partial(*(x.reshape(tokens, heads, x.shape[-1]) for x in parts))
