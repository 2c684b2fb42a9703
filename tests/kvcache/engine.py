"""Rows of one full-attention group, as the tests of the host's block pool drive them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlax.kvcache.block_pool import BlockPool
from sqlax.kvcache.full_attention import BlockTable, FullAttention
from sqlax.kvcache.identity import Identity
from sqlax.kvcache.prefix_index import hash_blocks

PLAIN = Identity("fake model, f32")


@dataclass
class Admitted:
    """A row that has its blocks, and what it was given."""

    table: BlockTable
    hits: list[int]
    fresh: list[int]


class Engine:
    """One pool and one group; the pool is checked after every step."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.pool = BlockPool(num_blocks)
        self.group = FullAttention(self.pool, block_size)
        self.block_size = block_size

    def table(self, tokens: Sequence[int], identity: Identity = PLAIN) -> BlockTable:
        """A new row of these tokens."""
        return BlockTable(len(tokens), hash_blocks(tokens, self.block_size, identity))

    def offer(self, tokens: Sequence[int], identity: Identity = PLAIN) -> Admitted | None:
        """Admits and computes a row, or returns None where it does not fit."""
        table = self.table(tokens, identity)
        hits = self.group.hit(table)
        fresh = self.group.allocate(table, len(tokens), hits)
        assert self.pool.check()
        if fresh is None:
            return None
        self.group.index(table, len(tokens))
        assert self.pool.check()
        return Admitted(table, hits, fresh)

    def admit(self, tokens: Sequence[int], identity: Identity = PLAIN) -> Admitted:
        """Admits and computes a row that fits."""
        row = self.offer(tokens, identity)
        assert row is not None
        return row

    def end(self, row: Admitted) -> None:
        """Ends a row."""
        self.group.release(row.table)
        assert self.pool.check()
