"""What must be equal, besides the tokens, for one row to read keys and values of another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """Something that is not text and stands in a row, such as an image.

    Attributes:
        digest: a hash of its content; its placeholder tokens say nothing about it.
        start: position of its first token in the row.
        length: how many tokens stand for it.
    """

    digest: str
    start: int
    length: int


@dataclass(frozen=True)
class Identity:
    """Under what a row is computed.

    Attributes:
        execution: whatever changes the numbers: weights, dtype, sharding, attention path.
        namespace: rows share nothing with rows of another namespace.
        adapter: the name and version of the weights added to the model's, if any.
        items: the items of the row.
    """

    execution: str
    namespace: str | None = None
    adapter: str | None = None
    items: tuple[Item, ...] = ()

    def keys(self, start: int, end: int) -> list[str | int | None]:
        """What a block of the positions from `start` to before `end` depends on beside tokens.

        The namespace enters the first block only: all others follow from it by the chain. The
        adapter touches every block, an item those in which it has tokens, each with its place.
        """
        keys: list[str | int | None] = [self.namespace if start == 0 else None, self.adapter]
        for item in self.items:
            if item.start < end and start < item.start + item.length:
                keys += [item.digest, item.start - start]
        return keys
