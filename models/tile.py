"""The static shape in which a row is computed: it follows from the row's own length alone."""

from __future__ import annotations

BUCKETS = (32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
"""Row capacities of the tiles; longer rows take the next multiple of the last.

Measured with SmolLM2-135M on a CPU, a full tile of 1,024 tokens takes the same time within 4% in
rows of up to 16, 32, 48, 64, 96 and 128 slots, and 20% more in rows of 256. Finer steps gain less
than they cost: each bucket that a table needs is one more copy of the model to compile.
"""

QUERY_BLOCK = 32
"""Tokens of a row that attention to pages takes together, where a run brings several of a row."""


def tile_shape(length: int) -> tuple[int, int, int]:
    """Tokens, rows and row capacity of the tile for a row of `length` tokens, trie nodes included.

    The tokens hold about eight rows, so that little of a tile stays empty, until they would take
    too much memory; they always hold one. There are as many rows as the bucket's shortest fill.
    """
    capacity = _row_capacity(length)
    tokens = max(512, min(4 * capacity, 4096), capacity)
    shortest = 11 if capacity == BUCKETS[0] else capacity // 2 + 1
    return tokens, max(1, tokens // shortest), capacity


def _row_capacity(length: int) -> int:
    fitting = [bucket for bucket in BUCKETS if length <= bucket]
    return fitting[0] if fitting else -(-length // BUCKETS[-1]) * BUCKETS[-1]
