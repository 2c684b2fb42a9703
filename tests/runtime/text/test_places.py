"""Where generated texts stand among the entries of a dictionary."""

from __future__ import annotations

import bisect

import jax
import jax.numpy as jnp
import pytest

from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.relation import bucket
from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.places import places
from tests.runtime.text.written import BLANK, HOLDS_NUL, strings, stripped, written

in_program = jax.jit(places)


def placed(texts: list[str], entries: list[str]) -> list[tuple[int, bool]]:
    dictionary = StringDictionary.of([], entries)
    held = jax.device_put(DictionaryBytes.of(dictionary, bucket(len(dictionary))))
    low, is_equal = in_program(written(texts), held)
    return list(zip(low.tolist(), is_equal.tolist(), strict=True))[: len(texts)]


def expected(texts: list[str], entries: list[str]) -> list[tuple[int, bool]]:
    order = sorted({entry.encode() for entry in entries})
    found = [text.encode() for text in stripped(texts)]
    return [(bisect.bisect_left(order, text), text in order) for text in found]


@pytest.mark.parametrize("most", [3, 30])
@pytest.mark.parametrize("alphabet", [HOLDS_NUL, "aé日🙂" + BLANK], ids=["nul", "wide"])
def test_places_are_those_of_bytes(alphabet: str, most: int) -> None:
    texts = strings(most, 80, most, alphabet)
    entries = [*strings(most + 1, 120, most, alphabet), *stripped(texts[::3])]
    assert placed(texts, entries) == expected(texts, entries)


@pytest.mark.parametrize("most", [7, 14, 20])
def test_texts_and_entries_of_whole_words(most: int) -> None:
    texts = ["a" * most, "a" * most + "\0", "a" * (most - 1), "a" * (most + 1), ""]
    entries = ["a" * most, "a" * most + "\0\0", "a" * (most - 1) + "\0"]
    assert placed(texts, entries) == expected(texts, entries)


@pytest.mark.parametrize("entries", [[], [""], ["b"]], ids=["none", "empty", "one"])
def test_dictionaries_of_few_entries(entries: list[str]) -> None:
    texts = ["", "a", "b", "b\0", "c", " "]
    assert placed(texts, entries) == expected(texts, entries)


def test_long_texts_and_entries() -> None:
    texts = ["a" * 2000, "a" * 1999 + "b", "a" * 1999]
    entries = ["a" * 2000, "a" * 1998 + "b", "a" * 2001, *map(str, range(40))]
    assert placed(texts, entries) == expected(texts, entries)


def test_jit_and_eager_agree() -> None:
    texts, entries = strings(1, 60, 5, "ab"), strings(2, 60, 5, "ab")
    dictionary = StringDictionary.of([], entries)
    given = written(texts), jax.device_put(DictionaryBytes.of(dictionary, 256))
    for eager, compiled in zip(places(*given), in_program(*given), strict=True):
        assert bool(jnp.all(eager == compiled))


def test_part_of_an_arrow_array_is_a_dictionary_too() -> None:
    whole = StringDictionary.of([], ["a", "bb", "ccc", "dddd"])
    held = DictionaryBytes.of(StringDictionary(whole.values[1:3]), 4)
    assert bytes(held.content[:5].tolist()) == b"bbccc"
    assert held.start.tolist() == [0, 2, 5, 5, 5]
