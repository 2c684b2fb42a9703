"""The blocks of rows in layers that attend to everything before: no window, no state.

Hits, new blocks and refusals are those of `KVCacheManager.allocate_slots` of vLLM v1 with one
full-attention group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlax.kvcache.block_pool import BlockPool
from sqlax.kvcache.prefix_index import BlockHash


@dataclass
class BlockTable:
    """The blocks of one row.

    Attributes:
        num_tokens: how many of the row's tokens are known: its prompt and what it has generated.
        hashes: the hash of each full block of them.
        blocks: its blocks in order, hits first.
        num_indexed: how many of the blocks have been made known to the index, or were hits.
    """

    num_tokens: int
    hashes: Sequence[BlockHash]
    blocks: list[int] = field(default_factory=list)
    num_indexed: int = 0


class FullAttention:
    """Gives rows their blocks, of `block_size` tokens each, from one pool."""

    def __init__(self, pool: BlockPool, block_size: int) -> None:
        self._pool = pool
        self._block_size = block_size

    def hit(self, table: BlockTable) -> list[int]:
        """The blocks that hold the longest known prefix of a new row already.

        They never hold all of its tokens: the last one must be computed, for its logits. They
        are free to be taken by others until `allocate` is called with them.
        """
        most = max(table.num_tokens - 1, 0) // self._block_size
        return self._pool.index.longest(table.hashes[:most])

    def blocks_to_allocate(
        self, table: BlockTable, num_tokens: int, hits: Sequence[int] = ()
    ) -> int:
        """How many free blocks go when the row is to hold `num_tokens` tokens.

        Hits that nobody else holds are counted: they are free now, and will not be.
        """
        wanted = -(-num_tokens // self._block_size)
        fresh = max(wanted - len(table.blocks) - len(hits), 0)
        return fresh + sum(self._pool.references(block) == 0 for block in hits)

    def allocate(
        self, table: BlockTable, num_tokens: int, hits: Sequence[int] = (), num_lookahead: int = 0
    ) -> list[int] | None:
        """Makes the row hold `num_tokens` tokens: its blocks so far, `hits`, then new blocks.

        `num_lookahead` more tokens get a place too: drafts that may be refused. Returns the new
        blocks, or None where too few blocks are free: then nothing has changed.
        """
        num_tokens += num_lookahead
        if self.blocks_to_allocate(table, num_tokens, hits) > self._pool.num_free:
            return None
        # Touched before anything is taken, or a free hit could be given out as a new block.
        self._pool.touch(hits)
        table.blocks += hits
        table.num_indexed += len(hits)
        fresh = self._pool.take(self.blocks_to_allocate(table, num_tokens))
        table.blocks += fresh
        return fresh

    def index(self, table: BlockTable, num_computed: int) -> None:
        """Makes the row's full blocks known, now that its first `num_computed` tokens are computed.

        Drafts are not known tokens, so a block that holds one is left out.
        """
        num_full = min(num_computed, table.num_tokens) // self._block_size
        for place in range(table.num_indexed, num_full):
            self._pool.index.add(table.blocks[place], table.hashes[place])
        table.num_indexed = max(table.num_indexed, num_full)

    def release(self, table: BlockTable) -> None:
        """Gives back all blocks of a row that has ended; what the index knows can be hit again."""
        self._pool.release(table.blocks)
        table.blocks.clear()
        table.num_indexed = 0
