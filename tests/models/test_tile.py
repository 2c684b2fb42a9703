"""Tile shapes."""

from __future__ import annotations

import pytest

from sqlax.models.tile import BUCKETS, tile_shape


@pytest.mark.parametrize("length", [1, 31, 32, 33, 64, 65, 500, 513, 1025, 8192, 8193, 20_000])
def test_a_tile_holds_its_row(length: int) -> None:
    tokens, rows, capacity = tile_shape(length)
    assert length <= capacity <= tokens
    assert rows >= 1
    assert capacity <= 512 or capacity % 256 == 0


def test_rows_of_one_bucket_share_one_shape() -> None:
    shapes = {tile_shape(length) for length in range(1, BUCKETS[-1] + 1)}
    assert {capacity for _, _, capacity in shapes} == set(BUCKETS)
    assert len(shapes) == len(BUCKETS)


def test_rows_of_any_length_can_fill_a_tile() -> None:
    for length in range(11, BUCKETS[-1] + 1):
        tokens, rows, _ = tile_shape(length)
        assert rows >= tokens // length
