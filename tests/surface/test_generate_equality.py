"""Greedy texts of the operator are those of a loop without pages and batches, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array

import sqlax
from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.fake import ByteTokenizer
from sqlax.models.llama.load import build
from sqlax.models.profile import BARE
from sqlax.models.registry.load import load
from sqlax.models.registry.lookup import resolve
from sqlax.runtime.constrain.constraint import token_automaton
from sqlax.runtime.constrain.expression import ANYTHING
from sqlax.runtime.constrain.masks import allowed
from sqlax.runtime.constrain.vocabulary import vocabulary_of
from tests.models.dense_loop import Choose, DenseLoop
from tests.models.golden.prompts import summary_prompts
from tests.models.random_llama import TINY, random_tensors

TOKENS = 32


def random_writer() -> CausalLanguageModel:
    """A random Llama over bytes, in bfloat16."""
    config = replace(TINY, vocabulary=257, tied_embeddings=False)
    decoder = build(config, random_tensors(config), jnp.dtype("bfloat16"))
    return CausalLanguageModel.of(decoder, ByteTokenizer(), BARE, "random", "random writer")


def likeliest_of(model: CausalLanguageModel) -> Choose:
    """The likeliest token that keeps the text readable and does not end it."""
    automaton = token_automaton(ANYTHING, vocabulary_of(model.tokenizer), TOKENS)
    masked = jax.jit(partial(allowed, jax.tree.map(jnp.asarray, automaton)))

    def choose(said: Sequence[int], logits: Array) -> int:
        state = 0
        for token in said:
            state = int(automaton.next[state, automaton.class_of_token[token]])
        left = np.asarray([TOKENS - len(said)], np.int32)
        mask = masked(np.asarray([state], np.int32), left, np.asarray([True]))
        return int(np.where(np.asarray(mask)[0], logits, -np.inf).argmax())

    return choose


def written(model: CausalLanguageModel, before: str, texts: Sequence[str]) -> list[str]:
    """What the loop without pages writes behind each text and a question mark."""
    encode, choose = model.tokenizer.encode, likeliest_of(model)
    prefix = encode(before) if before else []
    prompts = [encode(f"{before}{text}?")[len(prefix) :] for text in texts]
    loop = DenseLoop(model, prefix, max(map(len, prompts)) + TOKENS)
    said = [loop.write(prompt, TOKENS, choose) for prompt in prompts]
    return [model.tokenizer.decode(tokens).strip() for tokens in said]


def check_any_company(
    model: CausalLanguageModel, before: str, texts: Sequence[str], compared: int
) -> None:
    """The operator's texts in batches of 1, 8 and 32 rows, in order and not; the first of them."""
    want = dict(enumerate(written(model, before, texts[:compared])))
    assert len({*want.values()}) > len(want) // 2
    parts = f"'{before}', x, '?'" if before else "x, '?'"
    call = f"AI_GENERATE(({parts}), max_tokens => {TOKENS}, min_tokens => {TOKENS}, raw => TRUE)"
    order = np.random.default_rng(2).permutation(len(texts)).tolist()
    with sqlax.connect(model=model) as con:
        con.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
        query = con.compile(f"SELECT i, {call} FROM t")
        for rows in (range(len(texts)), order, order[:8], order[5:6], [3]):
            con.execute("DELETE FROM t")
            con.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[i, texts[i]] for i in rows])
            got = dict(query.run().fetchall())
            same = {i: text.strip() for i, text in got.items() if i in want}
            assert same == {i: want[i] for i in rows if i in want}


@pytest.mark.parametrize(
    "before",
    [pytest.param("", marks=pytest.mark.slow), "q:"],
    ids=["alone", "behind a prefix"],
)
def test_texts_equal_those_written_one_by_one_without_pages(before: str) -> None:
    random = np.random.default_rng(7)
    letters = [random.choice(list("abcdefg hij"), random.integers(1, 90)) for _ in range(32)]
    check_any_company(
        random_writer(), before, [f"{i}{''.join(x)}" for i, x in enumerate(letters)], 12
    )


@pytest.mark.slow
@pytest.mark.real_model
@pytest.mark.data
def test_so_do_the_default_models(default_model: str, data_folder: Path) -> None:
    texts = [text.replace("\n", " ") for text in summary_prompts(data_folder)[:32]]
    check_any_company(load(resolve(default_model)), "Say more:", texts, 6)
