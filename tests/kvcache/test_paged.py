"""Writing to pages and reading them back."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.kvcache.paged import (
    PAGE,
    from_bits,
    places,
    read_heads,
    read_tokens,
    to_bits,
    write_heads,
    write_tokens,
)

TABLE = jnp.array([[3, 1], [2, 0]], jnp.int32)
ROW = jnp.array([0, 0, 1, 1], jnp.int32)
POSITION = jnp.array([0, PAGE + 2, PAGE - 1, 5], jnp.int32)


def test_tokens_are_read_where_the_table_says() -> None:
    kept = jnp.array([True, True, True, False])
    place = places(TABLE, ROW, POSITION, kept)
    pages = write_tokens(jnp.zeros((4, PAGE), jnp.int32), place, jnp.array([7, 8, 9, 10]))
    got = np.asarray(read_tokens(pages, TABLE))
    want = np.zeros((2, 2 * PAGE), np.int32)
    want[0, 0], want[0, PAGE + 2], want[1, PAGE - 1] = 7, 8, 9
    want[1, PAGE] = 10  # page 0, where what has no place went
    np.testing.assert_array_equal(got, want)


def test_what_is_behind_the_table_goes_to_page_0() -> None:
    place = places(TABLE, ROW, POSITION + 2 * PAGE, jnp.ones(4, bool))
    assert not np.asarray(place.page).any()


def test_vectors_keep_their_heads_and_bits() -> None:
    new = jax.random.normal(jax.random.key(0), (4, 3, 8), jnp.bfloat16)
    place = places(TABLE, ROW, POSITION, jnp.ones(4, bool))
    pages = write_heads(to_bits(jnp.zeros((4, 3, PAGE, 8), jnp.bfloat16)), place, to_bits(new))
    assert pages.dtype == jnp.uint16
    got = from_bits(read_heads(pages, TABLE))
    assert got.shape == (2, 3, 2 * PAGE, 8)
    np.testing.assert_array_equal(got[ROW, :, POSITION], new)


@pytest.mark.parametrize("dtype", [jnp.float32, jnp.int32])
def test_other_dtypes_are_their_own_bits(dtype: jnp.dtype) -> None:
    x = jnp.ones(3, dtype)
    assert to_bits(x).dtype == from_bits(x).dtype == dtype
