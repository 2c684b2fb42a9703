"""Random choices, all from one seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Choices that a seed decides."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self._random.random() < probability

    def number(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return self._random.randint(low, high)

    def pick(self, options: Sequence[T]) -> T:
        """One of them, each as likely."""
        return self._random.choice(options)

    def weighed(self, options: dict[T, float]) -> T:
        """One of them, as likely as its weight says."""
        return self._random.choices(list(options), list(options.values()))[0]

    def some(self, options: Sequence[T], least: int, most: int) -> list[T]:
        """Between `least` and `most` different ones, in random order."""
        most = min(most, len(options))
        return self._random.sample(list(options), self.number(min(least, most), most))
