"""One order for dictionary entries and generated texts."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.text_ranks import representative, text_ranks
from tests.runtime.text.written import asked, dense, strings, stripped, written

CODES = 256
in_program = jax.jit(text_ranks, static_argnums=0)


def ids_of(texts: list[str], entries: list[str]) -> tuple[list[str], jax.Array]:
    """The texts of the ids that stand for something, and the rank of each id."""
    dictionary = StringDictionary.of([], entries)
    held = jax.device_put(DictionaryBytes.of(dictionary, CODES))
    made = written(texts)
    rank = in_program(CODES, made, jnp.arange(len(made.length)) < len(texts), held)
    assert len(set(rank[:CODES].tolist())) == CODES
    return [*dictionary.texts(0, len(dictionary)), *stripped(texts)], rank


def test_ranks_order_all_texts_as_duckdb_does() -> None:
    texts, entries = strings(1, 70, 4, "ab\0é"), strings(2, 70, 4, "ab\0é")
    values, rank = ids_of(texts, entries)
    entry_count = len(values) - len(texts)
    used = [*rank[:entry_count].tolist(), *rank[CODES : CODES + len(texts)].tolist()]
    order = {value: place for place, value in enumerate(sorted(set(used)))}
    assert [order[value] for value in used] == dense([value.encode() for value in values])
    assert [order[value] for value in used] == asked("dense_rank() OVER (ORDER BY t) - 1", values)


def test_ranks_are_in_the_documented_form() -> None:
    _, rank = ids_of(["b", "a", "c", "", "a"], ["b", "d"])
    assert rank[:3].tolist() == [1 << 32, 3 << 32, 5 << 32]
    assert rank[CODES : CODES + 5].tolist() == [1 << 32, 2, (2 << 32) | 4, 1, 2]


def test_without_a_dictionary_generated_texts_are_ranked_among_themselves() -> None:
    texts = strings(3, 60, 3, "ab")
    rank = in_program(4, written(texts, len(texts)), jnp.ones(len(texts), bool))
    assert rank[:4].tolist() == [1 << 32, 3 << 32, 5 << 32, 7 << 32]
    assert (rank[4:] - 1).tolist() == dense([text.encode() for text in stripped(texts)])


def test_the_representative_is_the_first_id_of_equal_texts() -> None:
    texts, entries = strings(4, 70, 2, "ab"), ["b", "ab", "bbb", ""]
    _, rank = ids_of(texts, entries)
    found = jax.jit(partial(representative, codes=CODES))(rank)
    assert found.tolist() == [rank.tolist().index(value) for value in rank.tolist()]
    assert found.dtype == jnp.int32


def test_jit_and_eager_agree() -> None:
    dictionary = StringDictionary.of([], ["a", "b"])
    held = jax.device_put(DictionaryBytes.of(dictionary, 2))
    given = 2, written(["a", "ab", "c"]), jnp.arange(128) < 2, held
    eager, compiled = text_ranks(*given), in_program(*given)
    assert eager.tolist() == compiled.tolist()
    assert eager.dtype == jnp.int64
