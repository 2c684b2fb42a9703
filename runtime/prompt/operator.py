"""The static side of an operator that asks a model: everything that decides shapes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlax.models.language_model import LanguageModel
from sqlax.models.tile import BUCKETS, tile_shape

HEAD_TOKENS = 32
"""Tokens from which on the head of a prompt is worth sharing."""


@dataclass(frozen=True)
class Part:
    """One part of a row's prompt: a constant run of tokens, or a value of the row.

    Attributes:
        constant: number of the constant part, or None for a value.
        value: number of the value among the prompt's values; meaningless for a constant.
        lead: row of the token pool: which leading text the value is tokenised with.
    """

    constant: int | None
    value: int = 0
    lead: int = 0


@dataclass(frozen=True)
class PromptOperator:
    """Shapes and static choices of one operator.

    Attributes:
        name: the answer's column.
        model: the model asked.
        values: columns of the input that the prompt reads, VARCHAR codes.
        parts: the row's prompt in order.
        items: capacity of the list of distinct prompts.
        neutral: number of calibration texts.
        row_tokens: an upper bound of a row's tokens in a tile.
    """

    name: str
    model: LanguageModel
    values: tuple[str, ...]
    parts: tuple[Part, ...]
    items: int
    neutral: int
    row_tokens: int

    @property
    def slots(self) -> int:
        """Answer slots: items, then calibration texts."""
        return self.items + self.neutral

    @property
    def tiles(self) -> tuple[Tile, ...]:
        """The tile shapes that this operator's rows may need, shortest first."""
        return tiles_up_to(self.row_tokens)

    @property
    def head(self) -> tuple[Part, ...]:
        """Parts that prompts with the same first value share the work for; none by default."""
        return ()

    @property
    def shape(self) -> tuple[object, ...]:
        """All that a program compiled for this operator depends on, the model's code apart."""
        return (self.model.identity, self.parts, self.items, self.neutral, self.tiles)

    @property
    def most_rows(self) -> int:
        """Rows of the widest tile."""
        return max(tile.rows for tile in self.tiles)


class Tile(NamedTuple):
    """A static shape in which rows are computed: flat tokens, rows, attention length."""

    tokens: int
    rows: int
    row_capacity: int


def tiles_up_to(tokens: int) -> tuple[Tile, ...]:
    """The tile shapes for rows of up to that many tokens: whole buckets, never a shape between."""
    shapes = [Tile(*tile_shape(bucket)) for bucket in BUCKETS]
    shorter = sum(shape.row_capacity < tokens for shape in shapes)
    if shorter == len(shapes):
        shapes.append(Tile(*tile_shape(tokens)))
    return tuple(shapes[: shorter + 1])
