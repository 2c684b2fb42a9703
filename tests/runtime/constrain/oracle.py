"""DuckDB's own answers, and random texts to ask it about."""

from __future__ import annotations

import random

import duckdb

ALPHABET = "aabbcAB_ %\n.09-é\u0130\u017f\u212aKkßẞ\u03a3\u03c3\u03c2\u00e0\u0300🙂日\\[]"
"""Characters of one to four bytes, with and without case, some of them special in patterns."""


def texts(seed: int, count: int = 300, most: int = 6) -> list[str]:
    """Random texts, some of them empty."""
    draw = random.Random(seed)
    return ["".join(draw.choices(ALPHABET, k=draw.randint(0, most))) for _ in range(count)]


def answers(condition: str, values: list[str], *parameters: object) -> list[bool]:
    """`condition` over a column `t` of these values."""
    query = f"SELECT {condition} FROM (SELECT unnest(?) AS t)"
    with duckdb.connect() as connection:
        rows = connection.execute(query, [*parameters, values]).fetchall()
    return [bool(answer) for (answer,) in rows]
