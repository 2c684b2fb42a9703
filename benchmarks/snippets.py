"""The snippets of rt_polarity: single sentences of film reviews, half of them positive."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sqlax.connection import Connection

SEED = 7
_FILES = {True: "rt-polarity.pos", False: "rt-polarity.neg"}


@dataclass(frozen=True)
class Snippets:
    """Texts with their gold answers; a snippet's id is its place.

    Attributes:
        texts: the snippets.
        positive: whether each one is.
    """

    texts: tuple[str, ...]
    positive: tuple[bool, ...]

    def store(self, connection: Connection, numbers: list[int] | None = None) -> None:
        """Make the table `snippets` of `id`, `text` and, where given, numbers `g`."""
        columns: dict[str, Any] = {"id": list(range(len(self.texts))), "text": list(self.texts)}
        if numbers is not None:
            columns["g"] = numbers
        connection.register("given_snippets", pa.table(columns))
        connection.execute("CREATE OR REPLACE TABLE snippets AS FROM given_snippets")


def load_snippets(data: Path, rows: int = 1000) -> Snippets:
    """A balanced sample of a fixed seed, in mixed order; a smaller one is part of a larger one.

    Args:
        data: the folder of data sets, or rt_polarity's own.
        rows: size of the sample, half of it positive.
    """
    folder = data / "rt_polarity" if (data / "rt_polarity").is_dir() else data
    sides = [[(text, side) for text in _sample(folder, side)] for side in _FILES]
    mixed = [pair for pairs in zip(*sides, strict=False) for pair in pairs][:rows]
    return Snippets(tuple(text for text, _ in mixed), tuple(side for _, side in mixed))


def _sample(folder: Path, side: bool) -> list[str]:
    lines = (folder / _FILES[side]).read_text("latin-1").split("\n")
    texts = [line.strip() for line in lines if line.strip()]
    random.Random(SEED).shuffle(texts)
    return texts
