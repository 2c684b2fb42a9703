"""LIKE and ILIKE against DuckDB."""

from __future__ import annotations

import random

import pytest

from sqlax.errors import BindError
from sqlax.runtime.constrain.like import like
from sqlax.runtime.constrain.subsets import byte_automaton
from tests.runtime.constrain.oracle import ALPHABET, answers, texts

TEXTS = [*texts(2), "a%b", "a_b", "axb"]


def random_patterns(count: int) -> list[str]:
    draw = random.Random(3)
    signs = ALPHABET + "%%%%____"
    return ["".join(draw.choices(signs, k=draw.randint(0, 5))) for _ in range(count)]


@pytest.mark.parametrize("pattern", ["%", "", "a%b", "_", "__%", "%a_%", *random_patterns(15)])
@pytest.mark.parametrize("operator", ["LIKE", "ILIKE"])
def test_the_same_texts_match(pattern: str, operator: str) -> None:
    automaton = byte_automaton(like(pattern, ignore_case=operator == "ILIKE"))
    expected = answers(f"t {operator} ?", TEXTS, pattern)
    assert [automaton.accepts(text) for text in TEXTS] == expected


@pytest.mark.parametrize(
    ("pattern", "escape", "ignore_case"),
    [
        ("a\\%b", "\\", False),
        ("a\\_%", "\\", False),
        ("\\\\%", "\\", False),
        ("aE%B", "e", True),
        ("ae%%", "E", True),
        ("aeb", "e", False),
        ("a%", "", False),
    ],
)
def test_an_escaped_character_is_itself(pattern: str, escape: str, ignore_case: bool) -> None:
    operator = "ILIKE" if ignore_case else "LIKE"
    expected = answers(f"t {operator} ? ESCAPE ?", TEXTS, pattern, escape)
    automaton = byte_automaton(like(pattern, escape, ignore_case=ignore_case))
    assert [automaton.accepts(text) for text in TEXTS] == expected


def test_a_pattern_that_ends_with_its_escape_is_refused() -> None:
    with pytest.raises(BindError, match="ends with its escape"):
        like("a!", "!")


def test_a_long_escape_is_refused() -> None:
    with pytest.raises(BindError, match="one character"):
        like("a", "!!")
