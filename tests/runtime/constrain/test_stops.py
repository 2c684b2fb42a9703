"""Stop strings as automata: texts end where a search in the whole text finds the first of them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sqlax.errors import UnsupportedError
from sqlax.models.fake import ByteTokenizer
from sqlax.runtime.constrain.stops import stop_automaton
from sqlax.runtime.constrain.vocabulary import Vocabulary, vocabulary_of
from sqlax.runtime.load.stop import Stopping, load_stop

pytestmark = pytest.mark.usefixtures("cache_folder")

BLANKS = " \t\n\r\f\v"
LONGER = ["ab", "abc", "bc", "ca", "a\nb", "\n\n", "b ", " a", "aaaa", "cbacba", "é", "bé"]
STOPS = [
    ("\n",),
    ("ab",),
    ("a", "abc"),
    ("bc", "abca"),
    ("b", "abcab", "cc"),
    ("aab", "ab\n", "\n\n"),
    ("é",),
    ("cé", "ab é"),
    (" ", "b c"),
    ("abcabcabd", "bcab", "cb"),
]


class Tokenizer(ByteTokenizer):
    """Bytes, and some tokens of several."""

    @property
    def vocabulary_size(self) -> int:
        """The bytes, one control token and the longer ones."""
        return 257 + len(LONGER)

    def token_bytes(self) -> list[bytes | None]:
        """Those of the bytes, then the longer ones."""
        return [*super().token_bytes(), *(text.encode() for text in LONGER)]


class WithoutB(Tokenizer):
    """No token is the letter b alone."""

    def token_bytes(self) -> list[bytes | None]:
        """The same without one."""
        return [None if token == b"b" else token for token in super().token_bytes()]


TOKENIZER = Tokenizer()


def vocabulary() -> Vocabulary:
    return vocabulary_of(TOKENIZER)


def cut(text: str, stops: tuple[str, ...]) -> str:
    """What stands before the first stop string, by search."""
    text = text.lstrip(BLANKS)
    return text[: min((place for s in stops if (place := text.find(s)) >= 0), default=len(text))]


def tokens_of(text: bytes, draw: random.Random) -> list[int]:
    """A text in tokens, each drawn from those that fit."""
    pieces, tokens, place = TOKENIZER.token_bytes(), list[int](), 0
    while place < len(text):
        fitting = [n for n, piece in enumerate(pieces) if piece and text.startswith(piece, place)]
        tokens.append(draw.choice(fitting))
        place += len(pieces[tokens[-1]] or b"")
    return tokens


def written(stopping: Stopping, tokens: list[int]) -> tuple[bytes, bool]:
    """What a loop keeps of these tokens, and whether it ends before it has asked for all."""
    automaton, state, text = stopping.automaton, 0, b""
    for token in tokens:
        if not (np.asarray(automaton.next)[state] >= 0).any():
            break
        state = int(automaton.next[state, automaton.class_of_token[token]])
        assert state >= 0
        text += TOKENIZER.token_bytes()[token] or b""
    over = not (np.asarray(automaton.next)[state] >= 0).any()
    assert automaton.accepting[state]
    return text[: len(text) - int(stopping.stop.cut[state])], over


@pytest.mark.parametrize("stops", STOPS, ids=str)
def test_a_text_in_any_tokens_ends_where_a_search_says(stops: tuple[str, ...]) -> None:
    stopping, draw = load_stop(stops, TOKENIZER, vocabulary()), random.Random(5)
    for _ in range(300):
        text = "".join(draw.choices("aaabbbcc\n é", k=draw.randint(0, 14)))
        kept, over = written(stopping, tokens_of(text.encode(), draw))
        assert kept.decode().lstrip(BLANKS) == cut(text, stops), text
        assert not over or cut(text, stops) != text.lstrip(BLANKS), text


def test_a_text_goes_on_while_an_earlier_stop_string_may_be_completed() -> None:
    stopping = load_stop(("bc", "abcd"), TOKENIZER, vocabulary())
    for text, kept, over in [("xabc", b"xa", False), ("xabcd", b"x", True), ("xabce", b"xa", True)]:
        assert written(stopping, list(text.encode())) == (kept, over)


def test_only_what_follows_in_the_same_token_is_read_behind_a_stop_string() -> None:
    found = stop_automaton(("ab",), 6)
    assert found.cut.max() == 2 + 6 - 1
    assert found.automaton.accepts(b"xab" + b"y" * 5)
    assert not found.automaton.accepts(b"xab" + b"y" * 6)


def test_no_more_is_kept_of_a_token_than_said() -> None:
    assert load_stop(("\n",), TOKENIZER, vocabulary()).stop.most_kept == 1
    assert load_stop(("cbx",), TOKENIZER, vocabulary()).stop.most_kept == 2
    assert load_stop(("xyz",), ByteTokenizer(), vocabulary_of(ByteTokenizer())).stop.most_kept == 0


def test_a_later_process_takes_the_automaton_from_the_cache_folder(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_stop.cache_clear()
    first = load_stop(("ab", "b "), TOKENIZER, vocabulary())
    assert len(list((cache_folder / "automata").iterdir())) == 1
    load_stop.cache_clear()
    monkeypatch.setattr("sqlax.runtime.constrain.store.lift", None)
    again = load_stop(("ab", "b "), TOKENIZER, vocabulary())
    np.testing.assert_array_equal(again.stop.cut, first.stop.cut)
    np.testing.assert_array_equal(again.automaton.next, first.automaton.next)


def test_bytes_that_the_model_cannot_write_alone_are_refused() -> None:
    tokenizer = WithoutB()
    with pytest.raises(UnsupportedError, match="no token for the byte 98 alone"):
        load_stop(("é",), tokenizer, vocabulary_of(tokenizer))
