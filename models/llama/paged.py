"""Attention of new tokens to what their rows' pages hold, themselves included."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, Shaped

from sqlax.kvcache.paged import PAGE, from_bits, read_heads, to_bits, write_heads
from sqlax.kvcache.prefix import Cache, Shared
from sqlax.models.llama.attention import KeyValue, to_flat, to_rows, with_prefix
from sqlax.models.llama.paged_layout import BLOCKS, PagedLayout
from sqlax.models.llama.rotary import Angles
from sqlax.models.llama.softmax import Partial, attend_more, nothing

BLOCK = 64
"""Positions attended to at once: the partition does not depend on how a row came into its pages."""


GROUP = 32
"""Rows whose pages are read together, or a few more: as many blocks as the longest one has."""
_NUMBERS_TOGETHER = 4096


class Store(NamedTuple):
    """The pages' keys, rotary embedding applied, and values in one layer, or in several.

    bfloat16 is held as its bits; several layers' pages lie one layer after another.
    """

    key: Shaped[Array, "pages kv page dim"]
    value: Shaped[Array, "pages kv page dim"]


class PagedContext(NamedTuple):
    """What every layer needs besides its weights, its pages and the residual stream.

    Attributes:
        layout: where the tokens stand, what they see and where they are kept.
        turn: rotary angles of the flat tokens.
        present: which positions of the prefix exist.
    """

    layout: PagedLayout
    turn: Angles
    present: Bool[Array, " positions"]

    def shared(self, cache: Cache | None) -> Shared | None:
        """`cache` as attention wants it; None where there is no prefix."""
        return None if cache is None else Shared(cache, self.present)

    def in_layer(self, first: Int[Array, ""]) -> PagedContext:
        """The same where the layer's page 0 is page `first` of the store."""
        return self._replace(layout=self.layout.in_layer(first))


def fewest_rows(width: int, heads: int) -> int:
    """Rows computed at least in a run, so that their sums are the same in any company.

    XLA on a CPU adds up in another order in products of a single row, and in sums within rows that
    are of fewer than 4,096 numbers together: in norms and in softmax. Measured with jaxlib 0.10.2.

    Args:
        width: of the residual stream.
        heads: query heads.
    """
    numbers = min(width, heads * BLOCK)
    return min(32, max(8, -(-_NUMBERS_TOGETHER // numbers)))


def new_store(pages: int, kv: int, dim: int, dtype: jnp.dtype) -> Store:
    """A layer's empty pages."""
    empty = to_bits(jnp.zeros((pages, kv, PAGE, dim), dtype))
    return Store(empty, empty.copy())


@jax.named_scope("pages")
def copy_pages(store: Store, source: Int[Array, " rows"], target: Int[Array, " rows"]) -> Store:
    """`store` with what each page of `source` holds in the one of `target` too."""
    return Store(*(x.at[target].set(x[source]) for x in store))


@jax.named_scope("pages")
def keep(store: Store, own: KeyValue, layout: PagedLayout) -> Store:
    """`store` with the keys and values of all flat tokens."""
    return Store(
        *(write_heads(x, layout.place, to_bits(y)) for x, y in zip(store, own, strict=True))
    )


@jax.named_scope("attention")
def attend_paged(
    query: Float[Array, "tokens heads dim"],
    store: Store,
    layout: PagedLayout,
    prefix: Shared | None,
) -> Float[Array, "tokens width"]:
    """Every flat token's attention to its own row, up to itself, and to the prefix."""
    blocks = layout.blocks
    if blocks is None:
        return attend_last(query, store, layout, prefix)
    asking = to_rows(query, blocks.flat, store.key.shape[1])
    part = _attend_groups(asking, store, blocks.table, blocks.seen, BLOCKS)
    part = Partial(*(to_flat(x, blocks.slot) for x in part))
    return with_prefix(part, query, prefix)


@jax.named_scope("attention")
def attend_last(
    query: Float[Array, "rows heads dim"],
    store: Store,
    layout: PagedLayout,
    prefix: Shared | None,
) -> Float[Array, "rows width"]:
    """The same for one token a row, the last."""
    rows, heads, dim = query.shape
    asking = query.reshape(rows, store.key.shape[1], -1, 1, dim)
    part = _attend_groups(asking, store, layout.table, layout.held[:, None], GROUP)
    return with_prefix(Partial(*(x.reshape(rows, heads, -1) for x in part)), query, prefix)


def _attend_groups(
    query: Float[Array, "rows kv group queries dim"],
    store: Store,
    table: Int[Array, "rows most"],
    seen: Int[Array, "rows queries"],
    together: int,
) -> Partial:
    """`_attend_pages`, `together` rows or a few more at a time: as many turns as the longest needs.

    It pays where rows stand in the order of their lengths; the results are the same anyhow.
    """
    rows = query.shape[0]
    groups = max(n for n in range(1, max(1, rows // together) + 1) if rows % n == 0)
    if groups == 1:
        return _attend_pages(query, store, table, seen)
    size = rows // groups

    def one(number: Int[Array, ""], done: Partial) -> Partial:
        begin = number * size
        given = (jax.lax.dynamic_slice_in_dim(x, begin, size) for x in (query, table, seen))
        asking, pages, limit = given
        part = _attend_pages(asking, store, pages, limit)
        put = jax.lax.dynamic_update_slice_in_dim
        return Partial(*(put(x, y, begin, 0) for x, y in zip(done, part, strict=True)))

    asks = jnp.any(seen.reshape(groups, -1) > 0, axis=1)
    used = jnp.max(jnp.where(asks, jnp.arange(1, groups + 1, dtype=jnp.int32), 0))
    whole: Partial = jax.lax.fori_loop(jnp.int32(0), used, one, nothing(query))
    return whole


def _attend_pages(
    query: Float[Array, "rows kv group queries dim"],
    store: Store,
    table: Int[Array, "rows most"],
    seen: Int[Array, "rows queries"],
) -> Partial:
    """Attention to the first `seen` positions of each row, as many blocks as the longest needs.

    A block in which a row has nothing left leaves the row's sums as they are, bit for bit.
    """
    held, pages = seen.max(axis=1), BLOCK // PAGE
    table = jnp.pad(table, ((0, 0), (0, -table.shape[1] % pages)))

    def block(i: Int[Array, ""], so_far: Partial) -> Partial:
        ids = jax.lax.dynamic_slice_in_dim(table, i * pages, pages, 1)
        position = i * BLOCK + jnp.arange(BLOCK, dtype=jnp.int32)
        key, value = (read_heads(x, ids) for x in store)
        there = (position[None, :] < held[:, None])[:, None, :, None]
        key, value = (jnp.where(there, x, jnp.zeros((), x.dtype)) for x in (key, value))
        mask = (position < seen[:, :, None])[:, None, None]
        return attend_more(so_far, query, from_bits(key), from_bits(value), mask)

    turns = (held.max() + (BLOCK - 1)) // BLOCK
    whole: Partial = jax.lax.fori_loop(jnp.int32(0), turns, block, nothing(query))
    return whole
