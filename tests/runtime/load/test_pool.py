"""The token pool: constants and the texts of one window at a time."""

from __future__ import annotations

import numpy as np
import pytest

from sqlax.models.fake import ByteTokenizer
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.load.pool import PoolBuilder, Window

TEXTS = ["", "a", "bb", "ccc", "dddd", "éé"]
LEADS = ("", "> ")
CODES = 8


def builder(budget: int, wanted: list[bool] | None = None, ways: int = 1) -> PoolBuilder:
    dictionary = StringDictionary.of([], TEXTS)
    mask = np.asarray(wanted or [True] * len(TEXTS))
    return PoolBuilder(ByteTokenizer(), dictionary, mask, LEADS, budget, ways)


@pytest.mark.parametrize("budget", [1, 12, 20, 1000])
def test_windows_cover_the_dictionary_and_every_text_is_found_in_its_own(budget: int) -> None:
    pool = builder(budget)
    start, length = pool.constant([7, 8, 9])
    assert pool.measure() == len("> dddd")
    assert [w.first for w in pool.windows] == [0, *(w.last for w in pool.windows[:-1])]
    assert pool.windows[-1].last == len(TEXTS)
    for code, text in enumerate(sorted(TEXTS)):
        window = pool.window_of(code)
        loaded = pool.load([code], CODES)
        assert (loaded.first.tolist(), loaded.last.tolist()) == ([window.first], [window.last])
        tokens = np.asarray(loaded.tokens)
        assert tokens[start : start + length].tolist() == [7, 8, 9]
        for number, lead in enumerate(LEADS):
            begin, count = int(loaded.start[number, code]), int(loaded.length[number, code])
            assert bytes(tokens[begin : begin + count].tolist()).decode() == lead + text


def test_a_larger_budget_makes_fewer_windows_of_one_size() -> None:
    counts = [len(builder(budget).windows) for budget in (1, 20, 1000)]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 1
    pool = builder(20)
    pool.measure()
    sizes = {pool.load([window.first], CODES).tokens.shape for window in pool.windows}
    assert len(sizes) == 1


def test_two_windows_are_loaded_side_by_side() -> None:
    pool = builder(2, ways=2)
    pool.measure()
    texts = sorted(TEXTS)
    for one, two in [(0, 5), (2, 2), (4, 1)]:
        loaded = pool.load([one, two], CODES)
        assert loaded.first.shape == (2,)
        for code in (one, two):
            begin, count = int(loaded.start[0, code]), int(loaded.length[0, code])
            tokens = np.asarray(loaded.tokens)[begin : begin + count]
            assert bytes(tokens.tolist()).decode() == texts[code]


def test_lengths_are_known_outside_the_window() -> None:
    pool = builder(1)
    pool.measure()
    loaded = pool.load([0], CODES)
    expected = [len(text.encode()) for text in sorted(TEXTS)]
    assert np.asarray(loaded.length)[0, : len(TEXTS)].tolist() == expected


def test_texts_that_no_prompt_reads_are_not_tokenised() -> None:
    pool = builder(1000, [False, True, False, False, False, False])
    assert pool.measure() == len("> a")
    loaded = pool.load([0], CODES)
    assert np.asarray(loaded.length).sum() == len("a") + len("> a")


def test_an_empty_dictionary_has_one_empty_window() -> None:
    empty = StringDictionary.of([], [])
    pool = PoolBuilder(ByteTokenizer(), empty, np.zeros(0, bool), ("",))
    assert pool.windows == (Window(0, 0),)
    assert pool.measure() == 0
