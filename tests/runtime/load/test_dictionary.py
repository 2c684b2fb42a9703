"""The dictionary's order is DuckDB's order of strings."""

from __future__ import annotations

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
from hypothesis import given

from sqlax.runtime.load.dictionary import StringDictionary
from tests.runtime.operators.relations import few

HARD = [
    "",
    " ",
    "a",
    "A",
    "ab",
    "a\0",
    "a\0b",
    "é",
    "e\u0301",
    "ß",
    "日本",
    "\U0001f600",
    "\uffff",
    "z",
]


@few
@given(st.lists(st.one_of(st.none(), st.sampled_from(HARD), st.text(max_size=3)), max_size=12))
def test_codes_compare_as_duckdb_compares_strings(texts: list[str | None]) -> None:
    column = pa.chunked_array([pa.array(texts, pa.string())])
    dictionary = StringDictionary.of([column], ["a constant"])
    codes = dictionary.codes(column)
    for text, code in zip(texts, codes.tolist(), strict=True):
        assert text is None or dictionary.code(text) == code
    with duckdb.connect() as duck:
        duck.register("given", pa.table({"s": column}))
        ordered = duck.sql("SELECT DISTINCT s FROM given WHERE s IS NOT NULL ORDER BY s").fetchall()
    found = [text for text in dictionary.texts(0, len(dictionary)) if text in texts]
    assert found == [text for (text,) in ordered]


def test_every_text_is_held_once_whatever_holds_it() -> None:
    plain = pa.array(["b", None, "a"])
    packed = pa.array(["a", "b", "a"]).dictionary_encode()
    wide = pa.chunked_array([pa.array(["b"], pa.large_string()), pa.array([], pa.large_string())])
    dictionary = StringDictionary.of([plain, packed, wide], ["a"])
    assert dictionary.texts(0, len(dictionary)) == ["a", "b"]
    assert [dictionary.codes(column).tolist() for column in (plain, packed, wide)] == [
        [1, 0, 0],
        [0, 1, 0],
        [1],
    ]
    assert dictionary.byte_lengths().tolist() == [1, 1]
