"""The static side of a generate operator."""

from __future__ import annotations

from dataclasses import dataclass

from sqlax.kvcache.paged import PAGE
from sqlax.models.language_model import GeneratingModel
from sqlax.runtime.prompt.operator import Part, PromptOperator, Tile

CHUNK = Tile(tokens=512, rows=32, row_capacity=512)
"""The one shape of prefill: a prompt that does not fit what is left of it is read in several."""


@dataclass(frozen=True)
class GenerateOperator(PromptOperator):
    """Shapes and static choices of one generate operator.

    Attributes:
        model: the model asked.
        places: most texts.
        most_tokens: capacity of a text while it is written, in tokens.
        spare_tokens: how many more it may have once it is cut in the middle of a token.
        lanes: rows at work at once.
        pages: pages in the pool, the null page included.
        sampled: whether tokens are drawn; else the likeliest is taken.
        first_id: text id of the first generated text.
    """

    model: GeneratingModel
    places: int
    most_tokens: int
    spare_tokens: int
    lanes: int
    pages: int
    sampled: bool
    first_id: int

    @property
    def shape(self) -> tuple[object, ...]:
        """What a score operator's is, and the sizes of lanes, pages and texts."""
        sizes = (self.places, self.most_tokens, self.spare_tokens, self.lanes, self.pages)
        return (*super().shape, *sizes, self.pages_per_row, self.sampled, self.first_id)

    @property
    def widths(self) -> tuple[int, ...]:
        """Rows of a decode step: the smallest that holds the ready lanes is taken.

        Products of fewer than 32 rows cost nearly as much, and each width is one more copy of the
        model to compile: up to 64 lanes are not worth two.
        """
        if self.lanes <= 64:
            return (self.lanes,)
        return (32, self.lanes) if self.lanes <= 128 else (32, self.lanes // 2, self.lanes)

    @property
    def head(self) -> tuple[Part, ...]:
        """All before the second value; nothing where there is none. See `runtime.generate.head`."""
        values = [part.value for part in self.parts if part.constant is None]
        second = next((value for value in values if value != values[0]), None)
        if second is None:
            return ()
        ends = (part.constant is None and part.value == second for part in self.parts)
        return self.parts[: list(ends).index(True)]

    @property
    def pages_per_row(self) -> int:
        """Most pages that a row can hold: the last token's keys are never needed."""
        return -(-(self.row_tokens + self.most_tokens - 1) // PAGE)
