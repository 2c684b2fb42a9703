"""The device's page allocator, called as the graph calls it: compiled, inside a loop, alone."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest
from jaxtyping import Array, Int

from sqlax.kvcache import pages as allocator
from sqlax.kvcache.pages import Pages, allocate, check, new_pages, own, release, share

MOST = 4


def rows(*ids: list[int]) -> Int[Array, "rows most"]:
    padded = [row + [0] * (MOST - len(row)) for row in ids]
    return jnp.asarray(padded, jnp.int32)


def numbers(*values: int) -> Int[Array, " rows"]:
    return jnp.asarray(values, jnp.int32)


def free_queue(pages: Pages) -> list[int]:
    return pages.queue[: int(pages.free)].tolist()


def test_a_new_pool_gives_out_all_but_the_null_page() -> None:
    pages = new_pages(6)
    assert free_queue(pages) == [1, 2, 3, 4, 5]
    assert check(pages)


def test_rows_get_pages_from_the_queues_front_in_row_order() -> None:
    pages, ids, granted = allocate(new_pages(8), numbers(2, 0, 3), MOST)
    assert ids.tolist() == [[1, 2, 0, 0], [0, 0, 0, 0], [3, 4, 5, 0]]
    assert granted.tolist() == [True, True, True]
    assert free_queue(pages) == [6, 7]
    assert pages.references.tolist() == [0, 1, 1, 1, 1, 1, 0, 0]
    assert check(pages)


@pytest.mark.parametrize(
    ("wanted", "granted"),
    [
        pytest.param((3, 3, 1), [True, False, False], id="the first refused row stops later ones"),
        pytest.param((3, 3, 0), [True, False, False], id="also those that want nothing"),
        pytest.param((MOST + 1, 1, 1), [False, False, False], id="more than a row can hold"),
        pytest.param((2, 2, 1), [True, True, True], id="exactly all pages"),
        pytest.param((2**31 - 1, 2**31 - 1, 1), [False, False, False], id="sums do not overflow"),
    ],
)
def test_a_row_gets_all_its_pages_or_none(wanted: tuple[int, ...], granted: list[bool]) -> None:
    before = new_pages(6)
    pages, ids, served = allocate(before, numbers(*wanted), MOST)
    assert served.tolist() == granted
    given = [want if ok else 0 for want, ok in zip(wanted, granted, strict=True)]
    assert (ids > 0).sum(1).tolist() == given
    assert int(pages.free) == 5 - sum(given)
    assert check(pages)


def test_released_pages_go_to_the_front_the_tail_of_a_row_first() -> None:
    pages, ids, _ = allocate(new_pages(8), numbers(3, 2), MOST)
    assert free_queue(release(pages, ids[:1])) == [3, 2, 1, 6, 7]
    assert free_queue(release(pages, ids)) == [5, 4, 3, 2, 1, 6, 7]


def test_rows_released_together_are_as_rows_released_one_by_one() -> None:
    pages, ids, _ = allocate(new_pages(9), numbers(3, 2), MOST)
    shared = rows([1, 2])
    pages = share(pages, shared)
    everything = jnp.concatenate([ids, shared])
    together = release(pages, everything)
    for row in range(3):
        pages = release(pages, everything[row : row + 1])
        assert check(pages)
    assert free_queue(together) == free_queue(pages) == [2, 1, 5, 4, 3, 6, 7, 8]
    assert check(together)


def test_a_shared_page_is_freed_by_its_last_holder() -> None:
    pages, ids, _ = allocate(new_pages(4), numbers(1), MOST)
    pages = share(pages, jnp.concatenate([ids, ids]))
    assert pages.references.tolist() == [0, 3, 0, 0]
    pages = release(pages, jnp.concatenate([ids, ids]))
    assert free_queue(pages) == [2, 3]
    assert free_queue(release(pages, ids)) == [1, 2, 3]


def test_a_row_that_writes_a_shared_page_gets_a_copy() -> None:
    pages, ids, _ = allocate(new_pages(5), numbers(1, 1), MOST)
    pages = share(pages, ids[:1])
    pages, owned, copied_from, alone = own(pages, numbers(1, 2, 0))
    assert owned.tolist() == [3, 2, 0]
    assert copied_from.tolist() == [1, 0, 0]
    assert alone.tolist() == [True, True, True]
    assert pages.references.tolist() == [0, 1, 1, 1, 0]
    assert check(pages)


def test_the_last_of_all_holders_keeps_the_page() -> None:
    pages, ids, _ = allocate(new_pages(5), numbers(1), MOST)
    pages = share(pages, jnp.concatenate([ids, ids]))
    pages, owned, copied_from, alone = own(pages, numbers(1, 1, 1))
    assert owned.tolist() == [2, 3, 1]
    assert copied_from.tolist() == [1, 1, 0]
    assert alone.all()
    assert check(pages)


def test_without_a_free_page_a_shared_page_stays_shared() -> None:
    pages, ids, _ = allocate(new_pages(3), numbers(1), MOST)
    pages = share(pages, jnp.concatenate([ids, ids]))
    pages, owned, copied_from, alone = own(pages, numbers(1, 1, 1))
    assert owned.tolist() == [2, 1, 1]
    assert copied_from.tolist() == [1, 0, 0]
    assert alone.tolist() == [True, False, False]
    assert pages.references.tolist() == [0, 2, 1]
    assert check(pages)


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda pages: release(release(pages, rows([1])), rows([1])), id="freed twice"),
        pytest.param(lambda pages: share(pages, rows([3])), id="a free page shared"),
        pytest.param(lambda pages: pages._replace(free=pages.free - 1), id="a page lost"),
        pytest.param(lambda pages: pages._replace(free=pages.free + 9), id="too many free"),
        pytest.param(lambda pages: pages._replace(queue=pages.queue * 0 + 3), id="free twice"),
        pytest.param(lambda pages: pages._replace(queue=pages.queue - 4), id="negative ids"),
        pytest.param(
            lambda pages: pages._replace(references=pages.references.at[0].set(1)), id="null held"
        ),
        pytest.param(
            lambda pages: pages._replace(queue=pages.queue.at[0].set(0)), id="null page free"
        ),
    ],
)
def test_the_check_finds_what_is_broken(broken: Callable[[Pages], Pages]) -> None:
    pages, _, _ = allocate(new_pages(6), numbers(2), MOST)
    assert check(pages)
    assert not check(broken(pages))


@pytest.mark.parametrize("wide", [False, True])
def test_everything_is_int32_and_runs_inside_a_loop(wide: bool) -> None:
    def turn(carry: tuple[Pages, Int[Array, " rows"]]) -> tuple[Pages, Int[Array, " rows"]]:
        pages, held = carry
        pages, ids, _ = allocate(pages, jnp.asarray([2, 1], jnp.int32), MOST)
        pages = share(pages, ids)
        pages, owned, _, _ = own(pages, ids[:, 0])
        pages = release(release(pages, ids), ids.at[:, 0].set(owned))
        return pages, held + owned

    with jax.enable_x64(wide):
        carry = (new_pages(16), jnp.zeros(2, jnp.int32))
        pages, held = jax.jit(
            lambda carry: jax.lax.fori_loop(0, 100, lambda _, carry: turn(carry), carry)
        )(carry)
        assert {array.dtype for array in (*pages, held)} == {jnp.dtype("int32")}
        assert check(pages)
        assert sorted(free_queue(pages)) == list(range(1, 16))


def test_a_call_takes_a_few_arrays_of_the_pools_size() -> None:
    """Nothing is as large as rows times pages."""
    pages, ids = new_pages(4096), jnp.zeros((128, 64), jnp.int32)
    compiled = jax.jit(allocator.release).lower(pages, ids).compile()
    memory = compiled.memory_analysis()
    assert memory is not None
    assert memory.temp_size_in_bytes < 16 * 4 * (4096 + ids.size)
