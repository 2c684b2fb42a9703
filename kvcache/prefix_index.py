"""Which blocks hold the keys and values of which prefix.

A block is known by a hash of everything that its contents depend on: the identity, its tokens and
the hash of the block before it. Equal hashes mean equal prefixes, so a lookup is a walk along the
chain, as in the prefix cache of vLLM v1 (`hash_block_tokens`, `BlockHashToBlockMap`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import NewType

import numpy as np

from sqlax.kvcache.identity import Identity

BlockHash = NewType("BlockHash", bytes)


def hash_blocks(
    tokens: Sequence[int], block_size: int, identity: Identity, known: Sequence[BlockHash] = ()
) -> list[BlockHash]:
    """The hash of each full block of `tokens`; those of the first blocks may be `known` already."""
    hashes = list(known)
    for start in range(len(hashes) * block_size, len(tokens) - block_size + 1, block_size):
        parent = hashes[-1] if hashes else _root(block_size, identity)
        keys = identity.keys(start, start + block_size)
        hashes.append(_hash(parent, tokens[start : start + block_size], keys))
    return hashes


def _root(block_size: int, identity: Identity) -> BlockHash:
    """What the first block's hash is chained to: one root for each execution identity."""
    named = json.dumps([identity.execution, block_size])
    return BlockHash(hashlib.sha256(named.encode()).digest())


def _hash(parent: BlockHash, tokens: Sequence[int], keys: list[str | int | None]) -> BlockHash:
    """A hash of the three, each of which ends where the next begins without doubt.

    The parent has 32 bytes, and all blocks below one root have equally many tokens.
    """
    numbers = np.asarray(tokens, "<i4").tobytes()
    return BlockHash(hashlib.sha256(parent + numbers + json.dumps(keys).encode()).digest())


class PrefixIndex:
    """Blocks by their hash.

    Two rows that computed the same prefix side by side leave two blocks under one hash; each is
    forgotten on its own.
    """

    def __init__(self) -> None:
        self._blocks: dict[BlockHash, dict[int, None]] = {}
        self._hashes: dict[int, BlockHash] = {}

    def __len__(self) -> int:
        """How many blocks the index knows."""
        return len(self._hashes)

    def __contains__(self, block: int) -> bool:
        return block in self._hashes

    def add(self, block: int, block_hash: BlockHash) -> None:
        """Says that `block`, not known before, now holds what `block_hash` stands for."""
        assert block not in self._hashes, f"block {block} is in the index already"
        self._hashes[block] = block_hash
        self._blocks.setdefault(block_hash, {})[block] = None

    def forget(self, block: int) -> None:
        """Says that `block` will be overwritten; nothing happens if it was not known."""
        if block not in self._hashes:
            return
        block_hash = self._hashes.pop(block)
        copies = self._blocks[block_hash]
        del copies[block]
        if not copies:
            del self._blocks[block_hash]

    def clear(self) -> None:
        """Forgets every block."""
        self._blocks.clear()
        self._hashes.clear()

    def longest(self, hashes: Sequence[BlockHash]) -> list[int]:
        """The blocks of the longest prefix of `hashes` that is known; of copies, the oldest."""
        found: list[int] = []
        for block_hash in hashes:
            if block_hash not in self._blocks:
                break
            found.append(next(iter(self._blocks[block_hash])))
        return found

    def check(self) -> bool:
        """Whether both directions say the same."""
        listed = {block: key for key, copies in self._blocks.items() for block in copies}
        return listed == self._hashes and all(self._blocks.values())
