"""What a generate operator's loop did, for EXPLAIN ANALYZE and the benchmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sqlax.kvcache.paged import PAGE
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.prompt.state import PromptState


@dataclass(frozen=True)
class WrittenReport:
    """What a generate operator's loop did.

    Attributes:
        texts: texts begun.
        tokens: tokens of the finished ones; end tokens, prompts and what stop strings have cut off
            are not counted.
        steps: decode steps, each one token of several rows.
        rows: rows in decode steps, summed.
        lanes: lanes in decode steps, empty or not, summed.
        chunks: runs of several tokens a row: prompts and forced text.
        pages: most pages of key-value state held at once.
        unused: most positions of held pages that held no token at once.
        page: positions of a page.
    """

    texts: int
    tokens: int
    steps: int
    rows: int
    lanes: int
    chunks: int
    pages: int
    unused: int
    page: int = PAGE

    @property
    def occupancy(self) -> float:
        """The share of the decode steps' lanes that held a row; 1 where there was no step."""
        return self.rows / self.lanes if self.lanes else 1.0

    def __str__(self) -> str:
        return (
            f"{self.tokens:,} written in {self.chunks:,} chunks and {self.steps:,} steps, "
            f"{self.occupancy:.0%} of lanes full, {self.pages:,} pages"
        )


def written_report(done: PromptState) -> WrittenReport | None:
    """The report of a generate operator; None for another one."""
    if not isinstance(done, GenerateState):
        return None
    work = done.work
    return WrittenReport(
        texts=int(done.texts.count),
        tokens=int(np.asarray(done.texts.length).sum()),
        steps=int(work.decode_steps),
        rows=int(work.decode_rows),
        lanes=int(work.decode_lanes),
        chunks=int(work.chunks),
        pages=int(work.most_pages),
        unused=int(work.most_unused),
    )
