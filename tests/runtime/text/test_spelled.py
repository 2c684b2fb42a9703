"""The bytes of generated texts, read a byte and a word at a time."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from sqlax.runtime.text.spelled import Spelled, joined, spelled, text_length
from sqlax.runtime.text.token_bytes import TokenBytes
from tests.runtime.text.written import (
    HOLDS_NUL,
    PIECES,
    asked,
    in_program,
    rows,
    spelled_of,
    strings,
    stripped,
    written,
)


@jax.jit
def next_byte(texts: Spelled, place: jax.Array, piece: jax.Array) -> tuple[jax.Array, jax.Array]:
    return texts.byte_at(place, piece)


@jax.jit
def next_word(texts: Spelled, number: jax.Array, piece: jax.Array) -> tuple[jax.Array, jax.Array]:
    return texts.word_at(number, piece)


def bytes_of(texts: Spelled) -> list[bytes]:
    """All texts, read in one go."""
    piece, read, longest = texts.first, list[list[int]](), max(texts.length.tolist())
    for place in range(longest + 2):
        byte, piece = next_byte(texts, np.int32(place), piece)
        read.append(byte.tolist())
    columns = zip(*read, strict=True)
    return [bytes(c)[:n] for c, n in zip(columns, texts.length.tolist(), strict=True)]


def words_of(texts: Spelled, count: int) -> list[tuple[int, ...]]:
    piece, read = texts.first, list[list[int]]()
    for number in range(count):
        word, piece = next_word(texts, np.int32(number), piece)
        read.append(word.tolist())
    return list(zip(*read, strict=True))


def word(text: bytes) -> int:
    return int.from_bytes(text.ljust(7, b"\0")) << 3 | len(text)


@pytest.mark.parametrize("wide", [False, True])
def test_bytes_are_those_of_the_tokens_without_blanks(wide: bool) -> None:
    texts = [text.encode() for text in strings(1, 40, 12)]
    with jax.enable_x64(wide):
        assert bytes_of(written(texts))[: len(texts)] == [text.strip() for text in texts]


def test_words_are_seven_bytes_and_their_number() -> None:
    texts = [b"", b"a", b"a\0", b"abcdefg", b"abcdefg\0", b" bcdefghijklmnop\xff\xff ", b"a" * 21]
    found = words_of(written(texts), 4)
    expected = [tuple(word(t.strip()[n : n + 7]) for n in (0, 7, 14, 21)) for t in texts]
    assert found[: len(texts)] == expected


def test_words_compare_as_bytes_do() -> None:
    texts = [text.encode().strip() for text in strings(2, 60, 30, HOLDS_NUL)]
    found = words_of(written(texts), 5)
    assert sorted(texts) == [text for _, text in sorted(zip(found, texts, strict=False))]


def test_length_is_that_of_duckdb() -> None:
    texts = strings(3, 60, 20)
    assert text_length(written(texts)).tolist()[: len(texts)] == asked("length(t)", stripped(texts))


def test_joined_texts_are_the_texts_of_all_parts() -> None:
    short, long = [b" a ", b"", b"\xc3\xa9"], [b"a" * 30, b"ab c " * 9]
    tokens, length = np.asarray([[2, 1, 0, 1]], np.int32), np.asarray([4], np.int32)
    foreign = spelled_of(tokens, length, [b"x", b"yz ", b" "])
    whole = joined([written(short, 3), foreign, written(long, 2)])
    assert bytes_of(whole) == [b"a", b"", b"\xc3\xa9", b"yz xyz", b"a" * 30, (b"ab c " * 9).strip()]


def test_a_text_of_no_tokens_is_empty() -> None:
    nothing = spelled_of(np.zeros((2, 1), np.int32), np.zeros(2, np.int32), PIECES)
    assert nothing.length.tolist() == [0, 0]
    assert bytes_of(nothing) == [b"", b""]


def test_jit_and_eager_agree() -> None:
    given = rows([text.encode() for text in strings(4, 20, 9)])
    given = jax.device_put((*given, TokenBytes.of(PIECES)))
    eager, compiled = spelled(*given), in_program(*given)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), eager, compiled))
