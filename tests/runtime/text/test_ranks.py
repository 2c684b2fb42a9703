"""The order of generated texts among themselves."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.runtime.text.ranks import ranks
from sqlax.runtime.text.spelled import Spelled, joined, spelled
from sqlax.runtime.text.token_bytes import TokenBytes
from tests.runtime.text.written import (
    BLANK,
    HOLDS_NUL,
    asked,
    dense,
    spelled_of,
    strings,
    stripped,
    written,
)

in_program = jax.jit(ranks)


def all_ranks(texts: Spelled, count: int) -> list[int]:
    """The ranks of the first texts, which alone are there."""
    rank: list[int] = in_program(texts, jnp.arange(len(texts.length)) < count).tolist()
    assert set(rank[count:]) <= {len(rank)}
    return rank[:count]


@pytest.mark.parametrize("most", [3, 30])
@pytest.mark.parametrize("alphabet", [HOLDS_NUL, "aé日🙂" + BLANK], ids=["nul", "wide"])
def test_ranks_are_those_of_bytes_and_of_duckdb(alphabet: str, most: int) -> None:
    texts = strings(most, 80, most, alphabet)
    found = all_ranks(written(texts), len(texts))
    assert found == dense([text.encode() for text in stripped(texts)])
    assert found == asked("dense_rank() OVER (ORDER BY t) - 1", stripped(texts))


def test_bytes_that_are_no_text_have_an_order_too() -> None:
    draw = np.random.default_rng(5)
    texts = [draw.bytes(int(n)).strip() for n in draw.integers(0, 20, 60)]
    assert all_ranks(written(texts), len(texts)) == dense(texts)


def test_equal_texts_of_different_tokens_have_equal_ranks() -> None:
    texts = ["abc abab the é日", "b"] * 10
    assert all_ranks(written(texts), len(texts)) == [0, 1] * 10


def test_long_texts_that_differ_at_their_end() -> None:
    texts = ["a" * 2000, "a" * 1999 + "b", "a" * 2000, "a" * 1999, "a" * 2000 + "\0"]
    assert all_ranks(written(texts), len(texts)) == [1, 3, 1, 0, 2]


def test_texts_of_several_operators_are_ranked_together() -> None:
    first, second = strings(6, 20, 20, "ab "), strings(7, 20, 5, "ab ")
    pieces = ["b ", " a", "aa"]
    tokens = np.random.default_rng(8).integers(0, 3, (20, 6), np.int32)
    foreign = spelled_of(tokens, np.full(20, 6, np.int32), [piece.encode() for piece in pieces])
    third = ["".join(pieces[token] for token in row) for row in tokens]
    whole = joined([written(first, len(first)), written(second, len(second)), foreign])
    expected = dense([text.encode() for text in stripped([*first, *second, *third])])
    assert all_ranks(whole, len(expected)) == expected


def test_texts_that_are_not_there_stand_behind() -> None:
    texts = written(["b", "a", "zz", "a", "a" * 50], 5)
    valid = jnp.asarray([True, True, False, True, False])
    assert in_program(texts, valid).tolist() == [1, 0, 5, 0, 5]
    assert in_program(texts, jnp.zeros(5, bool)).tolist() == [5] * 5


def test_jit_and_eager_agree() -> None:
    texts = written(strings(9, 20, 20, "ab"))
    valid = jnp.arange(texts.length.shape[0]) % 3 > 0
    assert ranks(texts, valid).tolist() == in_program(texts, valid).tolist()


def test_memory_does_not_grow_with_the_bytes_of_a_text() -> None:
    most_tokens, texts, token = 64, 32, 10_000

    def rank(tokens: jax.Array, length: jax.Array, vocabulary: TokenBytes) -> jax.Array:
        return ranks(spelled(tokens, length, vocabulary), length > 0)

    tokens = jnp.zeros((texts, most_tokens), jnp.int32)
    vocabulary = jax.device_put(TokenBytes.of([b"a" * token, b"b"]))
    compiled = jax.jit(rank).lower(tokens, jnp.full(texts, 9, jnp.int32), vocabulary).compile()
    used = compiled.memory_analysis()
    assert used is not None
    assert used.temp_size_in_bytes < texts * most_tokens * 64 < texts * most_tokens * token
