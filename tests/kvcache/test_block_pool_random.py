"""Random rows through the block pool: what a hit promises is what its blocks hold."""

from __future__ import annotations

import random

import pytest

from tests.kvcache.engine import Admitted, Engine

BLOCK = 4
STEPS = 400


class Walk:
    """An engine, and what was last written to each of its blocks."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.engine = Engine(17, BLOCK)
        self.written: dict[int, list[int]] = {}
        self.running: list[tuple[Admitted, list[int]]] = []
        self.hits = 0
        self.refusals = 0

    def tokens(self) -> list[int]:
        """A row of few different tokens, often a beginning of one that runs."""
        begin = self.random.choice(self.running)[1] if self.running else []
        fresh = [self.random.randrange(2) for _ in range(self.random.randint(1, 16))]
        return begin[: self.random.randrange(len(begin) + 1)] + fresh

    def begin(self) -> None:
        """A row starts, or is refused: then there were too few free blocks for it."""
        tokens = self.tokens()[:40]
        free = self.engine.pool.num_free
        row = self.engine.offer(tokens)
        if row is None:
            self.refusals += 1
            assert free == self.engine.pool.num_free < -(-len(tokens) // BLOCK)
            return
        self.hits += len(row.hits)
        blocks = row.table.blocks
        for place, block in enumerate(blocks):
            span = tokens[: (place + 1) * BLOCK]
            assert place >= len(row.hits) or self.written[block] == span
            self.written[block] = span
        assert len(blocks) == -(-len(tokens) // BLOCK) == len(set(blocks))
        self.running.append((row, tokens))

    def end(self) -> None:
        """A row ends."""
        if self.running:
            row, _ = self.running.pop(self.random.randrange(len(self.running)))
            self.engine.end(row)

    def check(self) -> None:
        """Counts are what the rows hold, and no row's block was overwritten by another."""
        held = [block for row, _ in self.running for block in row.table.blocks]
        assert [self.engine.pool.references(block) for block in range(17)] == [
            held.count(block) for block in range(17)
        ]
        for row, tokens in self.running:
            for place, block in enumerate(row.table.blocks):
                assert self.written[block] == tokens[: (place + 1) * BLOCK]


@pytest.mark.parametrize("seed", range(6))
def test_a_hit_holds_its_rows_tokens(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(STEPS):
        walk.random.choice([walk.begin, walk.begin, walk.end])()
        walk.check()
    assert walk.hits
    assert walk.refusals
