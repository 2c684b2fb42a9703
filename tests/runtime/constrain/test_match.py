"""Patterns over texts in the graph."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Bool, Int, UInt8

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, padded
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.like import like
from sqlax.runtime.constrain.match import matches
from sqlax.runtime.constrain.regex import regex_anywhere
from sqlax.runtime.constrain.subsets import byte_automaton
from tests.runtime.constrain.oracle import answers, texts

TEXTS = texts(4)
TRACED = list[tuple[int, ...]]()


@jax.jit
def in_program(
    automaton: ByteAutomaton, text: UInt8[Array, "rows width"], length: Int[Array, " rows"]
) -> Bool[Array, " rows"]:
    TRACED.append(text.shape)
    return matches(automaton, text, length)


def in_graph(expression: Expression, values: list[str]) -> list[bool]:
    spelled = [value.encode() for value in values]
    text = np.full((len(values), max(map(len, spelled)) + 3), ord("%"), np.uint8)
    for row, value in zip(text, spelled, strict=True):
        row[: len(value)] = list(value)
    length = np.asarray([len(value) for value in spelled], np.int32)
    automaton = jax.device_put(padded(byte_automaton(expression)))
    found: list[bool] = in_program(automaton, jnp.asarray(text), jnp.asarray(length)).tolist()
    return found


@pytest.mark.parametrize("x64", [False, True])
def test_matches_are_those_of_duckdb(x64: bool) -> None:
    with jax.enable_x64(x64):
        assert in_graph(like("%a_%"), TEXTS) == answers("t LIKE '%a_%'", TEXTS)
        assert in_graph(like("%É%", ignore_case=True), TEXTS) == answers("t ILIKE '%É%'", TEXTS)
        found = answers("regexp_matches(t, '^[ab]|\\d$')", TEXTS)
        assert in_graph(regex_anywhere(r"^[ab]|\d$"), TEXTS) == found


def test_patterns_of_one_size_share_a_program() -> None:
    TRACED.clear()
    for pattern in ("a%", "%b", "_c_"):
        in_graph(like(pattern), [*TEXTS[:7], "abcdef" * 20])
    assert len(TRACED) == 1


def test_no_rows_match_nothing() -> None:
    automaton = padded(byte_automaton(like("%")))
    empty = in_program(automaton, jnp.zeros((0, 4), jnp.uint8), jnp.zeros(0, jnp.int32))
    assert empty.shape == (0,)
