"""The host's pool of blocks: who holds them, and which of the free ones is overwritten first.

A freed block keeps its contents, and the prefix index keeps its hash, until it is given out
again: what the pool calls free is also the cache. The semantics are those of `BlockPool` of
vLLM v1.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

from sqlax.kvcache.prefix_index import PrefixIndex


class BlockPool:
    """Blocks 1 to `count` - 1; block 0 is the null block, which is never given out.

    Attributes:
        index: the blocks whose contents can be found again.
    """

    def __init__(self, count: int) -> None:
        self.index = PrefixIndex()
        self._references = [0] * count
        self._queue = OrderedDict.fromkeys(range(1, count))

    @property
    def num_free(self) -> int:
        """How many blocks nobody holds, those that the index knows included."""
        return len(self._queue)

    @property
    def free_queue(self) -> list[int]:
        """The free blocks, the next to be given out first."""
        return list(self._queue)

    def references(self, block: int) -> int:
        """How many rows hold `block`."""
        return self._references[block]

    def take(self, count: int) -> list[int]:
        """The first `count` free blocks, with one holder each; the index forgets them.

        There must be that many: whoever asks has looked at `num_free`.
        """
        assert count <= self.num_free, f"{count} blocks wanted, {self.num_free} are free"
        taken = [self._queue.popitem(last=False)[0] for _ in range(count)]
        for block in taken:
            self.index.forget(block)
            self._references[block] = 1
        return taken

    def touch(self, blocks: Iterable[int]) -> None:
        """Adds one holder to each of `blocks`, which are in use or free and known to the index."""
        for block in blocks:
            if self._references[block] == 0:
                del self._queue[block]
            self._references[block] += 1

    def release(self, blocks: Sequence[int]) -> None:
        """Takes one holder from each block of a row, given in the row's order.

        Blocks that nobody holds any more become free, the row's tail before its head, since a
        prefix is useless without what stands before it. Those that the index does not know go to
        the queue's front, the others to its back.
        """
        unknown = []
        for block in reversed(blocks):
            assert self._references[block] > 0, f"block {block} is released but nobody holds it"
            self._references[block] -= 1
            if self._references[block] == 0:
                self._queue[block] = None
                if block not in self.index:
                    unknown.append(block)
        for block in reversed(unknown):
            self._queue.move_to_end(block, last=False)

    def reset(self) -> bool:
        """Forgets all contents, unless a block is in use; whether it did."""
        if self.num_free != len(self._references) - 1:
            return False
        self.index.clear()
        return True

    def check(self) -> bool:
        """Whether each block but the null block is either held or free, and none is neither."""
        held = {block for block, holders in enumerate(self._references) if holders > 0}
        everything = set(range(1, len(self._references)))
        return (
            self.index.check()
            and min(self._references) >= 0
            and held.isdisjoint(self._queue)
            and held | self._queue.keys() == everything
        )
