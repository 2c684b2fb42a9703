"""Random admissions, shares, copies on write, releases and refusals, against a list and a counter.

`Pool` is the allocator as one would write it for a host, one page at a time. Queue, counts and
answers must be the same after every step, and the allocator's own check must hold.
"""

from __future__ import annotations

import random
from collections import Counter

import jax
import numpy as np
import pytest

from sqlax.kvcache.pages import Pages, allocate, check, new_pages, own, release, share

PAGES = 24
ROWS = 5
MOST = 6
STEPS = 200

Table = list[list[int]]

take = jax.jit(allocate, static_argnums=2)
give = jax.jit(release)
lend = jax.jit(share)
copy_on_write = jax.jit(own)
sound = jax.jit(check)


class Pool:
    """What the allocator means."""

    def __init__(self) -> None:
        self.queue = list(range(1, PAGES))
        self.holders: Counter[int] = Counter()

    def allocate(self, wanted: list[int]) -> tuple[Table, list[bool]]:
        """Each row's pages, and which rows were served."""
        table: Table = [[] for _ in wanted]
        for row, want in enumerate(wanted):
            if want > min(len(self.queue), MOST):
                return table, [other < row for other in range(len(wanted))]
            table[row] = [self.take() for _ in range(want)]
        return table, [True] * len(wanted)

    def take(self) -> int:
        """The queue's first page, with one holder."""
        page = self.queue.pop(0)
        self.holders[page] = 1
        return page

    def share(self, table: Table) -> None:
        """One more holder for every page."""
        self.holders.update(page for row in table for page in row)

    def release(self, table: Table) -> None:
        """One holder less for every page, row by row, each from its tail."""
        for row in table:
            freed = []
            for page in reversed(row):
                self.holders[page] -= 1
                if self.holders[page] == 0:
                    freed.append(page)
            self.queue = freed + self.queue

    def own(self, page: int) -> tuple[int, int]:
        """The page to write and the page to copy into it; 0 where nothing is to be copied."""
        if self.holders[page] <= 1 or not self.queue:
            return page, 0
        self.holders[page] -= 1
        return self.take(), page


class Walk:
    """The allocator and its model side by side, with the rows that hold pages."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.pages: Pages = new_pages(PAGES)
        self.pool = Pool()
        self.rows: Table = [[] for _ in range(ROWS)]
        self.refusals = 0
        self.copies = 0

    def admit(self) -> None:
        """Empty rows ask for pages, now and then for more than a row may hold."""
        wanted = [0 if row else self.random.randint(0, MOST + 1) for row in self.rows]
        self.pages, ids, granted = take(self.pages, np.asarray(wanted, np.int32), MOST)
        expected, served = self.pool.allocate(wanted)
        assert ids.tolist() == padded(expected).tolist()
        assert granted.tolist() == served
        self.refusals += not all(served)
        self.rows = [old or new for old, new in zip(self.rows, expected, strict=True)]

    def share(self) -> None:
        """Each empty row takes a prefix of some other row's pages, or nothing."""
        prefixes: Table = [[] for _ in self.rows]
        for row in range(ROWS):
            other = self.random.choice(self.rows)
            if not self.rows[row] and self.random.random() < 0.7:
                prefixes[row] = other[: self.random.randint(0, len(other))]
        self.pages = lend(self.pages, padded(prefixes))
        self.pool.share(prefixes)
        self.rows = [old or new for old, new in zip(self.rows, prefixes, strict=True)]

    def write(self) -> None:
        """Some rows are about to write one of their pages."""
        place = [self.random.randrange(len(row)) if row else 0 for row in self.rows]
        writes = [bool(row) and self.random.random() < 0.8 for row in self.rows]
        asked = [self.rows[i][place[i]] if writes[i] else 0 for i in range(ROWS)]
        answer = copy_on_write(self.pages, np.asarray(asked, np.int32))
        self.pages, owned, copied_from, alone = answer
        expected = [self.pool.own(page) for page in asked]
        assert list(zip(owned.tolist(), copied_from.tolist(), strict=True)) == expected
        assert alone.tolist() == [self.pool.holders[page] <= 1 for page, _ in expected]
        self.copies += sum(source > 0 for _, source in expected)
        for row in range(ROWS):
            if writes[row]:
                self.rows[row][place[row]] = expected[row][0]

    def finish(self) -> None:
        """Some rows end."""
        ended = [row if self.random.random() < 0.4 else [] for row in self.rows]
        self.pages = give(self.pages, padded(ended))
        self.pool.release(ended)
        self.rows = [[] if end else row for row, end in zip(self.rows, ended, strict=True)]

    def compare(self) -> None:
        """Queue and counts are the model's, and the counts are what the rows hold."""
        references = [self.pool.holders[page] for page in range(PAGES)]
        assert sound(self.pages)
        assert self.pages.queue[: int(self.pages.free)].tolist() == self.pool.queue
        assert self.pages.references.tolist() == references
        assert references == [sum(row.count(page) for row in self.rows) for page in range(PAGES)]


def padded(table: Table) -> np.ndarray:
    return np.asarray([row + [0] * (MOST - len(row)) for row in table], np.int32)


@pytest.mark.parametrize("seed", range(8))
def test_the_allocator_is_its_model(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(STEPS):
        walk.random.choice([walk.admit, walk.share, walk.write, walk.finish])()
        walk.compare()
    assert walk.refusals
    assert walk.copies
