"""Stop strings: every reader of a text sees what stands before the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import jax.numpy as jnp
import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.fake import FakeModel
from sqlax.models.llama.load import build
from sqlax.models.profile import BARE
from tests.models.random_llama import TINY, random_tensors
from tests.runtime.constrain.test_stops import BLANKS, TOKENIZER, cut

pytestmark = [pytest.mark.usefixtures("compile_quickly"), pytest.mark.slow]

SAID: dict[str, str | float] = {
    "A": "one\ntwo END three",
    "B": "one END",
    "C": "\n two three",
    "D": "two thEND",
    "thre": "late",
    "one": "early END",
    "two": "yes",
}


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default="quiet"))
    connection.execute("CREATE TABLE t AS SELECT unnest(['A', 'B', 'C', 'D', 'E', NULL]) AS x")
    yield connection
    connection.close()


def test_all_that_stands_above_sees_the_cut_text(con: Connection) -> None:
    """Chained prompts, patterns, lengths, order, and a judgement."""
    result = con.sql(r"""
        SELECT x, a, length(a) AS n, a LIKE '%E%' AS l,
          AI_GENERATE(('say ', a), stop => ['lat', ' END'], max_tokens => 12) AS b, AI_IF(a) AS c
        FROM (SELECT x, AI_GENERATE(('', x), stop => [E'\n', 'END'], max_tokens => 24) AS a FROM t)
        ORDER BY a NULLS LAST, x
    """)
    assert result.fetchall() == [
        ("A", "one", 3, False, "early", None),
        ("B", "one", 3, False, "early", None),
        ("E", "quiet", 5, False, "quiet", None),
        ("D", "two th", 6, False, "yes", True),
        ("C", "two three", 9, False, "", None),
        (None, None, None, None, None, None),
    ]
    assert [operator.calls for operator in result.report.operators] == [5, 4, 4]


def test_cut_texts_are_grouped_and_cost_no_more_steps(con: Connection) -> None:
    call = "AI_GENERATE(('', x), stop => ' END', max_tokens => 24)"
    result = con.sql(f"SELECT {call} AS a, COUNT(*) AS n FROM t WHERE x IN ('B', 'E') GROUP BY a")
    assert sorted(result.fetchall()) == [("one", 1), ("quiet", 1)]
    (operator,) = result.report.operators
    assert operator.written is not None
    assert (operator.written.tokens, operator.written.steps) == (8, len("one END") - 1)


def random_writer() -> CausalLanguageModel:
    """A random Llama over bytes and tokens of several."""
    config = replace(TINY, vocabulary=TOKENIZER.vocabulary_size)
    tensors = random_tensors(config)
    decoder = build(config, tensors, jnp.dtype("float32"))
    return CausalLanguageModel.of(decoder, TOKENIZER, BARE, "random", "random with longer tokens")


def test_texts_are_those_without_stop_strings_cut_by_search() -> None:
    """With temperature, so that tokens of several bytes are cut inside, and at any place."""
    con = sqlax.connect(model=random_writer())
    con.execute("CREATE TABLE t AS SELECT i, chr((97 + i % 26)::INT) || i AS x FROM range(60) r(i)")
    drawn = "max_tokens => 20, temperature => 3, seed => 4"
    full = dict(con.sql(f"SELECT i, AI_GENERATE(('q ', x), {drawn}) FROM t").fetchall())
    stops = pieces([*full.values()])
    given = ", ".join(f"'{stop}'" for stop in stops)
    call = f"AI_GENERATE(('q ', x), {drawn}, stop => [{given}])"
    rows = con.sql(f"SELECT i, a, length(a) FROM (SELECT i, {call} AS a FROM t)").fetchall()
    want = {i: cut(text, stops).strip(BLANKS) for i, text in full.items()}
    assert {i: text for i, text, _ in rows} == want
    assert all(length == len(text) for _, text, length in rows)
    assert sum(want[i] != text for i, text in full.items()) > 10
    con.close()


def pieces(texts: list[str]) -> tuple[str, ...]:
    """Pieces of some texts: a few of one character, and longer ones that others are part of."""
    long = [text for text in texts if len(text) > 8 and "'" not in text]
    assert len(long) > 20
    return tuple({t[4 : 5 + i % 4] for i, t in enumerate(long[:12])})
