"""Regular expressions against RE2, as DuckDB calls it."""

from __future__ import annotations

import pytest

from sqlax.errors import BindError, CapacityError, UnsupportedError
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.regex import Flags, regex, regex_anywhere
from sqlax.runtime.constrain.subsets import byte_automaton
from tests.runtime.constrain.oracle import answers, texts

PATTERNS = [
    "a",
    "a|ab|abc",
    "(a|b)*c?",
    "a.b",
    "a.*b$",
    "^a",
    "^a|b$",
    "(^|[^a])b",
    "x*",
    "",
    "|a",
    "()",
    "[ab]{2}",
    "[^ab]+",
    "[]a]",
    "[^]a]",
    "[a-]",
    "[[a]",
    "[a&&b]",
    r"[\d-z]",
    r"\d+",
    r"\D",
    r"\w\W\w",
    r"[\W_]",
    r"\s",
    r"\bab",
    r"\bb\b",
    r"a\Bb",
    r"\Aab\z",
    "(?i)k",
    "(?i)\u017f",
    "(?i)İ",
    "(?i)ß",
    "(?i)\u03c3",
    "(?i)[^k]",
    "(?i:A)b",
    "a(?i)b|B",
    "(?s)a.b",
    "(?m)^b",
    "(?m)a$",
    "(?m)^$",
    r"\pL",
    r"\p{Lu}",
    r"\P{L}+",
    r"[\pN_]",
    r"\p{^L}",
    r"\p{Greek}",
    r"\p{Cc}",
    "[[:alpha:]]",
    "[[:^alpha:]]",
    "[[:punct:]]",
    "(?i)[[:upper:]]",
    r"\x61",
    r"\x{e9}",
    r"\141",
    r"\Qa.\E+",
    r"\Q[a",
    r"\.",
    r"\_",
    "a{,3}",
    "a{1",
    "a{2,}",
    "a{0}b",
    "(?:a{1,2}){2}",
    "a+?b??",
    "(?P<name>a)b",
    "é+",
    "[à-ÿ]",
    "[é-日]",
    "🙂",
    r"^\b",
    "(?:^a|b)+",
    "a^b",
    "a$b",
]
TEXTS = [*texts(1), "ab", "abab", "a\nb", "\n", "a\n", "\nb", "aab b"]


def accepted(expression: Expression, values: list[str]) -> list[bool]:
    automaton = byte_automaton(expression)
    return [automaton.accepts(value) for value in values]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_texts_match(pattern: str) -> None:
    anywhere = answers("regexp_matches(t, ?)", TEXTS, pattern)
    assert accepted(regex_anywhere(pattern), TEXTS) == anywhere
    whole = answers("regexp_full_match(t, ?)", TEXTS, pattern)
    assert accepted(regex(pattern), TEXTS) == whole


@pytest.mark.parametrize(
    ("flags", "options"), [(Flags(fold=True), "i"), (Flags(dot_all=True), "s")]
)
def test_options_are_those_of_duckdb(flags: Flags, options: str) -> None:
    for pattern in ("a.b", "^B", "[a-b]k", r"\w."):
        expected = answers(f"regexp_matches(t, ?, '{options}')", TEXTS, pattern)
        assert accepted(regex_anywhere(pattern, flags), TEXTS) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a**", "repeated"),
        ("a{2}{3}", "repeated"),
        ("*a", "nothing before"),
        ("(a", "not closed"),
        ("a)", "without"),
        ("[a", "ends too early"),
        ("[b-a]", "is empty"),
        ("[[:foo:]]", "no class"),
        ("a{1001}", "1000"),
        ("a{2,1}", "no repetition"),
        (r"\y", "no escape"),
        (r"\pX", "no general category"),
        (r"\x{110000}", "no code point"),
        ("\\", "ends too early"),
    ],
)
def test_a_broken_pattern_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(BindError, match=reason):
        regex(pattern)


@pytest.mark.parametrize("pattern", ["(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", r"\C"])
def test_what_no_automaton_has_is_named(pattern: str) -> None:
    with pytest.raises(UnsupportedError, match="not supported"):
        regex(pattern)


def test_too_many_states_are_refused() -> None:
    with pytest.raises(CapacityError, match="states"):
        byte_automaton(regex("(?:a|b)*a(?:a|b){20}"))


def test_broken_utf8_is_never_accepted() -> None:
    automaton = byte_automaton(regex("(?s).*"))
    for broken in (b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"):
        assert not automaton.accepts(broken)
