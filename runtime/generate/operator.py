"""The static side of a generate operator."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.kvcache.paged import PAGE
from sqlax.models.language_model import GeneratingModel
from sqlax.runtime.prompt.operator import Part, PromptOperator, Tile, tiles_up_to

CHUNK = 512
"""Most tokens of a row in one run: a longer prompt is prefilled in several."""


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
    def chunks(self) -> tuple[Tile, ...]:
        """The tile shapes of prefill, shortest first."""
        return tiles_up_to(min(max(self.row_tokens, 2), CHUNK))

    @property
    def most_run(self) -> int:
        """Most tokens of a row in one run. Forced tokens may make a row longer than any prompt."""
        return self.chunks[-1].row_capacity

    @property
    def widths(self) -> tuple[int, ...]:
        """Rows of a decode step: the smallest that holds the ready lanes is taken.

        Products of fewer than 32 rows cost nearly as much, and each width is one more copy of the
        model to compile.
        """
        some = (32,) if self.lanes <= 128 else (32, self.lanes // 2)
        return (*(width for width in some if width < self.lanes), self.lanes)

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


def tile_of(operator: GenerateOperator, pending: Int[Array, " lanes"]) -> Int[Array, " lanes"]:
    """The tile shape of each lane's next chunk: it depends on its own tokens in it alone."""
    capacities = jnp.asarray([tile.row_capacity for tile in operator.chunks], jnp.int32)
    run = jnp.minimum(pending, operator.most_run)
    return jnp.sum(run[:, None] > capacities[None, :], axis=1, dtype=jnp.int32)
