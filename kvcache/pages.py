"""Which pages of the device's key-value arrays are free, and how many rows hold each of them.

Pure functions over three small arrays, made to be called inside `jit` and `while_loop`: no host,
no sorting, O(pages + ids) work a call. A page id names the same page in every layer. Page 0 is the
null page: it is never given out, and an id of 0 means "no page" in every argument and result.

The semantics are those of the block pool of vLLM v1 (`BlockPool`, `FreeKVCacheBlockQueue`) for
blocks without a hash: taken from the queue's front, given back to its front, a row's tail first.
"""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int


class Pages(NamedTuple):
    """The allocator's state, all int32.

    Attributes:
        queue: the free pages, the first to be given out in front; behind them, anything.
        free: how many pages are free.
        references: how many rows hold a page; 0 for free pages and for the null page.
    """

    queue: Int[Array, " pages"]
    free: Int[Array, ""]
    references: Int[Array, " pages"]


def new_pages(count: int) -> Pages:
    """The allocator of `count` pages, the null page among them: 1 to `count` - 1 are free."""
    queue = jnp.roll(jnp.arange(count, dtype=jnp.int32), -1)
    return Pages(queue, jnp.int32(count - 1), jnp.zeros(count, jnp.int32))


def allocate(
    pages: Pages, wanted: Int[Array, " rows"], most: int
) -> tuple[Pages, Int[Array, "rows most"], Bool[Array, " rows"]]:
    """Gives every row all the pages it wants or none, strictly in row order.

    The first row that cannot be served stops all rows behind it, also those that would still fit,
    and those that want nothing: a long row must not starve behind short ones. A row that wants
    more than `most` cannot be served; whoever admits rows must turn it away before.

    Returns:
        The allocator, the pages of each row (0 behind them, and for rows that got none), and
        which rows were served.
    """
    wanted = jnp.clip(wanted, 0, most + 1)
    end = jnp.cumsum(wanted, dtype=jnp.int32)
    refused = (end > pages.free) | (wanted > most)
    granted = jnp.cumsum(refused, dtype=jnp.int32) == 0
    taken = jnp.where(granted, wanted, 0)
    column = jnp.arange(most, dtype=jnp.int32)
    ids = pages.queue.at[(end - wanted)[:, None] + column[None, :]].get(mode="clip")
    ids = jnp.where(column[None, :] < taken[:, None], ids, 0)
    return _take(pages, taken.sum(dtype=jnp.int32)), ids, granted


def share(pages: Pages, ids: Int[Array, "rows most"]) -> Pages:
    """Adds one holder for each time that a page stands in `ids`; the pages must be held already."""
    return pages._replace(references=pages.references.at[ids].add(_counts(ids)))


def release(pages: Pages, ids: Int[Array, "rows most"]) -> Pages:
    """Takes one holder away for each time that a page stands in `ids`; frees pages without any.

    They go to the queue's front as if the rows were released one after another, the tail of each
    row first: the next page to be given out is the last one of the last row. A page that several
    rows give back in one call is freed where the last of them gives it back.
    """
    references = pages.references.at[ids].add(-_counts(ids))
    freed = (pages.references > 0) & (references <= 0)
    given = ids.reshape(-1)[::-1]
    order = jnp.arange(given.size, dtype=jnp.int32)
    first = jnp.full_like(pages.queue, given.size).at[given].min(order)
    frees = freed[given] & (first[given] == order)
    count = frees.sum(dtype=jnp.int32)
    place = jnp.where(frees, jnp.cumsum(frees, dtype=jnp.int32) - 1, pages.queue.size)
    queue = jnp.roll(pages.queue, count).at[place].set(given, mode="drop")
    return Pages(queue, pages.free + count, references)


def own(
    pages: Pages, ids: Int[Array, " rows"]
) -> tuple[Pages, Int[Array, " rows"], Int[Array, " rows"], Bool[Array, " rows"]]:
    """Gives each row a page of its own for the one in `ids` that it will write: copy on write.

    A page with several holders is replaced by a fresh one that the caller must fill with a copy.
    Where all holders of a page ask at once, the last of them keeps it. Fresh pages are given in
    row order while there are any; a row left without one keeps the shared page.

    Returns:
        The allocator, each row's page, the page to copy into it (0 where there is nothing to
        copy), and whether the row holds its page alone. Where it does not, it must not write.
    """
    row = jnp.arange(ids.size, dtype=jnp.int32)
    asking = jnp.zeros_like(pages.references).at[ids].add(1)
    last = jnp.zeros_like(pages.references).at[ids].max(row)
    keeps = (asking == pages.references)[ids] & (last[ids] == row)
    copies = (pages.references[ids] > 1) & ~keeps
    pages, fresh, _ = allocate(pages, copies.astype(jnp.int32), 1)
    copied_from = jnp.where(fresh[:, 0] > 0, ids, 0)
    references = pages.references.at[copied_from].add(-_counts(copied_from))
    ids = jnp.where(fresh[:, 0] > 0, fresh[:, 0], ids)
    return pages._replace(references=references), ids, copied_from, references[ids] <= 1


def check(pages: Pages) -> Bool[Array, ""]:
    """Whether the state is sound: every page but the null page is held or free once, not both."""
    number = jnp.arange(pages.queue.size, dtype=jnp.int32)
    in_queue = number < pages.free
    named = jnp.where(in_queue, pages.queue, 0)
    times_free = jnp.zeros_like(pages.queue).at[named].add(in_queue.astype(jnp.int32))
    expected = ((pages.references == 0) & (number > 0)).astype(jnp.int32)
    return (
        (pages.free >= 0)
        & (pages.free < pages.queue.size)
        & ((named >= 0) & (named < pages.queue.size)).all()
        & (times_free == expected).all()
        & (pages.references >= 0).all()
        & (pages.references[0] == 0)
    )


def _take(pages: Pages, count: Int[Array, ""]) -> Pages:
    """The allocator after the first `count` pages of the queue have got their first holder."""
    taken = jnp.arange(pages.queue.size, dtype=jnp.int32) < count
    references = pages.references.at[pages.queue].add(taken.astype(jnp.int32))
    return Pages(jnp.roll(pages.queue, -count), pages.free - count, references)


def _counts(ids: Int[Array, "*shape"]) -> Int[Array, "*shape"]:
    """1 where an id names a page, 0 where it is the null page."""
    return (ids > 0).astype(jnp.int32)
