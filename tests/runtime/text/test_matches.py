"""LIKE, ILIKE and regular expressions over generated texts."""

from __future__ import annotations

import jax
import pytest

from sqlax.runtime.constrain.byte_automaton import padded
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.like import like
from sqlax.runtime.constrain.regex import regex_anywhere
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.text.matches import matches
from tests.runtime.constrain.oracle import texts as random_texts
from tests.runtime.text.written import asked, stripped, written

TEXTS = [*random_texts(5, 90), *(f" {text}\n" for text in random_texts(6, 20, 12)), "a" * 2000, ""]
CASES = {
    "t LIKE '%a_%'": like("%a_%"),
    "t LIKE ''": like(""),
    "t LIKE '_b%'": like("_b%"),
    "t LIKE 'aaa%aaaa'": like("aaa%aaaa"),
    "t ILIKE '%É%'": like("%É%", ignore_case=True),
    "t ILIKE '%k%ß%'": like("%k%ß%", ignore_case=True),
    "regexp_matches(t, '^[ab]|\\d$')": regex_anywhere(r"^[ab]|\d$"),
    "regexp_matches(t, 'a+é?日')": regex_anywhere("a+é?日"),
}
in_program = jax.jit(matches)


@pytest.mark.parametrize(("condition", "expression"), CASES.items(), ids=CASES)
def test_matches_are_those_of_duckdb(condition: str, expression: Expression) -> None:
    automaton = jax.device_put(padded(byte_automaton(expression)))
    found = in_program(automaton, written(TEXTS)).tolist()
    assert found[: len(TEXTS)] == asked(condition, stripped(TEXTS))


def test_narrow_numbers_and_eager_calls_give_the_same() -> None:
    automaton, texts = padded(byte_automaton(like("%b_"))), ["ab", " abc ", "b日", ""]
    with jax.enable_x64(False):
        found = matches(jax.device_put(automaton), written(texts))
    assert found.tolist()[:4] == [False, True, True, False]
