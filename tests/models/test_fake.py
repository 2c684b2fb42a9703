"""The fake model writes its answers."""

from __future__ import annotations

from dataclasses import replace

import jax
import numpy as np
import pytest

from sqlax.models.fake import FakeModel
from sqlax.models.language_model import GeneratingModel
from tests.models.paging import Book

MODEL = FakeModel({"apple": "a red fruit", "red": "colour", "half": 0.5}, default="no idea")
PROMPTS = {0: "an apple?", 1: "some red a", 2: "half of it", 3: "x", 5: "What is an apple, really?"}
ANSWERS = {0: "a red fruit", 1: "colour", 2: "", 3: "no idea", 5: "a red fruit"}
END = 256


def prefilled(chunk: int, capacity: int, model: FakeModel = MODEL) -> tuple[Book, dict[int, int]]:
    """Pages with all prompts, and each slot's first token."""
    book, after = Book(model, 6, 4), dict[int, int]()
    rest = {slot: text.encode() for slot, text in PROMPTS.items()}
    while rest:
        logits = book.extend({s: text[:chunk] for s, text in rest.items()}, 128, capacity)
        after |= {slot: int(logits[slot].argmax()) for slot in rest}
        rest = {slot: text[chunk:] for slot, text in rest.items() if text[chunk:]}
    return book, after


def written(book: Book, token: dict[int, int]) -> dict[int, str]:
    """What each slot says, one token a step."""
    said: dict[int, list[int]] = {slot: [] for slot in token}
    while token := {slot: t for slot, t in token.items() if t != END}:
        for slot, t in token.items():
            said[slot].append(t)
        logits = book.step(token)
        token = {slot: int(logits[slot].argmax()) for slot in token}
    return {slot: bytes(tokens).decode() for slot, tokens in said.items()}


@pytest.mark.parametrize(("chunk", "capacity"), [(64, 64), (32, 32), (7, 16), (16, 16), (1, 16)])
def test_answers_do_not_depend_on_the_prompts_chunks(chunk: int, capacity: int) -> None:
    assert written(*prefilled(chunk, capacity)) == ANSWERS


def test_a_short_first_run_is_a_prompt() -> None:
    book = Book(MODEL, 1, 4)
    first = int(book.extend({0: b"apple"}, 8, 8)[0].argmax())
    assert written(book, {0: first}) == {0: "a red fruit"}


def test_several_tokens_at_once_are_generated_ones() -> None:
    book, _ = prefilled(64, 64)
    logits = book.extend({0: b"a red f", 1: b"c"}, 16, 8, is_text=True)
    token = {slot: int(logits[slot].argmax()) for slot in (0, 1)}
    assert written(book, token) == {0: "ruit", 1: "olour"}


def test_other_tokens_on_the_way_leave_the_answer_whole() -> None:
    """As where an automaton demands a string of JSON."""
    book, _ = prefilled(64, 64)
    logits = book.extend({1: b'{"value": "'}, 16, 15, is_text=True)
    assert chr(logits[1].argmax()) == "c"
    for byte in b"colour":
        logits = book.step({1: byte})
    assert logits[1].argmax() == END
    assert chr(logits[1][:END].argmax()) == '"'


def test_a_slot_that_begins_anew_forgets_the_last_row() -> None:
    book, token = prefilled(64, 64)
    written(book, token)
    book.clear(0)
    logits = book.extend({0: b"dull red"}, 128, 64)
    assert written(book, {0: int(logits[0].argmax())}) == {0: "colour"}


def test_the_answers_later_bytes_are_liked_better_than_others() -> None:
    book, _ = prefilled(64, 64)
    logits = book.step({3: ord("n")})[3]
    assert np.isfinite(logits).all()
    best = np.argsort(-logits)[: len("o idea")]
    assert bytes(best.astype(np.uint8)).decode() == "o idea"


def test_without_a_table_the_default_is_written() -> None:
    book, token = prefilled(64, 64, replace(MODEL, answers={}, default="well"))
    assert set(written(book, token).values()) == {"well"}


def test_64_bit_types_change_nothing() -> None:
    with jax.enable_x64(True):
        assert written(*prefilled(7, 16)) == ANSWERS


def test_it_is_a_generating_model() -> None:
    assert isinstance(MODEL, GeneratingModel)
