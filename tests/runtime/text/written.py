"""Texts cut into tokens at random: equal texts may be of different tokens."""

from __future__ import annotations

import random
from collections.abc import Sequence

import duckdb
import jax
import numpy as np
import numpy.typing as npt

from sqlax.runtime.relation import bucket
from sqlax.runtime.text.spelled import Spelled, spelled
from sqlax.runtime.text.token_bytes import TokenBytes
from tests.runtime.constrain.oracle import ALPHABET

LONGER = [None, b"ab", b"abc", b" the", b"  ", b" \n", b"a b ", "é日".encode(), b"\x99\x82", b"\0a"]
PIECES = [*LONGER, *(bytes([byte]) for byte in range(256))]
BLANK = " \t\n\r\f\v"
HOLDS_NUL = "a\0" + BLANK
CAPACITY = 128
"""Rows in most tests, so that they share programs."""
Ints = npt.NDArray[np.int32]
in_program = jax.jit(spelled)


def strings(seed: int, count: int, most: int, alphabet: str = ALPHABET + BLANK) -> list[str]:
    """Random texts, with empty ones, blank ones and pairs among them."""
    draw = random.Random(seed)
    made = ["".join(draw.choices(alphabet, k=draw.randint(0, most))) for _ in range(count)]
    return [*made, *draw.choices(made, k=count // 4), "", "", " \n\t", " "]


def cut(text: bytes, draw: random.Random) -> list[int]:
    """Tokens of a text, each drawn from those that fit; some of them spell nothing."""
    tokens, place = list[int](), 0
    while place < len(text):
        fitting = [n for n, piece in enumerate(PIECES) if piece and text.startswith(piece, place)]
        tokens.append(draw.choice([0, *fitting]))
        place += len(PIECES[tokens[-1]] or b"")
    return tokens


def rows(texts: Sequence[bytes], capacity: int = CAPACITY) -> tuple[Ints, Ints]:
    """Token rows of texts, any tokens behind their ends, and their lengths; empty rows behind."""
    draw = random.Random(len(texts))
    tokens = [cut(text, draw) for text in texts]
    width = bucket(max(map(len, tokens)) + 1, 64)
    filled = np.random.default_rng(1).integers(-1, len(PIECES) + 1, (capacity, width), np.int32)
    length = np.zeros(capacity, np.int32)
    for number, own in enumerate(tokens):
        filled[number, : len(own)], length[number] = own, len(own)
    return filled, length


def written(texts: Sequence[str] | Sequence[bytes], capacity: int = CAPACITY) -> Spelled:
    """Texts as a program holds those that it has generated."""
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    return spelled_of(*rows(encoded, capacity), PIECES)


def spelled_of(tokens: Ints, length: Ints, pieces: Sequence[bytes | None]) -> Spelled:
    """Token rows of the host, spelled in a program."""
    texts: Spelled = in_program(*jax.device_put((tokens, length, TokenBytes.of(pieces))))
    return texts


def stripped(texts: Sequence[str]) -> list[str]:
    return [text.strip(BLANK) for text in texts]


def dense(values: Sequence[bytes]) -> list[int]:
    """The dense rank of each value."""
    order = {value: rank for rank, value in enumerate(sorted(set(values)))}
    return [order[value] for value in values]


def asked(expression: str, texts: Sequence[str]) -> list[int]:
    """What DuckDB says of the texts, in a column `t` with row numbers `n`."""
    query = f"""
        SELECT {expression} FROM (SELECT unnest($texts) AS t, unnest(range(len($texts))) AS n)
        ORDER BY n
    """
    with duckdb.connect() as connection:
        found = connection.execute(query, {"texts": list(texts)}).fetchall()
    return [value for (value,) in found]
