"""Greedy tokens written through pages, against recomputing everything and against transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.label_trie import build_trie
from sqlax.models.registry.load import load
from tests.models.golden.prompts import PROMPTS, summary_prompts
from tests.models.paging import Book
from tests.models.random_llama import pack, random_model
from tests.models.test_causal_lm import WIDE, random_prompts

GOLDEN = Path(__file__).parent / "golden" / "generate.json"
TOKENS = 16
CHUNK = 512


def greedy(
    book: Book, prompts: Mapping[int, Sequence[int]], chunk: int, capacity: int, tokens: int
) -> dict[int, list[int]]:
    """What each slot writes; prompts come one row a run, `chunk` tokens of it."""
    said: dict[int, list[int]] = {}
    for slot, prompt in prompts.items():
        for at in range(0, len(prompt), chunk):
            logits = book.extend({slot: prompt[at : at + chunk]}, capacity, capacity)
        said[slot] = [int(logits[slot].argmax())]
    for _ in range(tokens - 1):
        logits = book.step({slot: tokens[-1] for slot, tokens in said.items()})
        for slot, row in said.items():
            row.append(int(logits[slot].argmax()))
    return said


def recomputed(
    model: CausalLanguageModel, prompt: Sequence[int], capacity: int, tokens: int
) -> list[int]:
    """The same, with all of the text read anew for each token, in one run, in one slot.

    It reads through pages too: attention over all keys at once rounds otherwise than attention
    block by block. That the two agree but for rounding is a test of its own.
    """
    text = list(prompt)
    for _ in range(tokens):
        book = Book(model, 1, -(-capacity // 16))
        text.append(int(book.extend({0: text}, capacity, capacity)[0].argmax()))
    return text[len(prompt) :]


def unpaged(model: CausalLanguageModel, text: Sequence[int], capacity: int) -> Any:
    """Logits after `text` without pages."""
    trie = jax.tree.map(jnp.asarray, build_trie([[1]]))
    rows = pack([text], trie, capacity, capacity)

    @jax.jit
    def run(params: Any) -> Any:
        decoder = nnx.merge(model.graph, params)
        return decoder.logits(decoder.read(None, jnp.int32(0), rows, trie)[:, 0])

    return np.asarray(run(model.params))[0]


def check_any_company(
    model: CausalLanguageModel, prompts: list[list[int]], long: list[int], most: int
) -> None:
    """The same tokens from 1, 8 and 32 slots, wherever a row stands, with and without chunks."""
    want = [recomputed(model, prompt, 64, TOKENS) for prompt in prompts]
    alone = greedy(Book(model, 1, most), {0: prompts[0]}, 64, 64, TOKENS)
    assert alone == {0: want[0]}
    for slots in (8, 32):
        order = np.random.default_rng(slots).permutation(slots)[: len(prompts)].tolist()
        said = greedy(Book(model, slots, most), dict(zip(order, prompts, strict=True)), 64, 64, 16)
        assert said == dict(zip(order, want, strict=True))
    whole = greedy(Book(model, 8, most), {3: long}, 1024, 1024, TOKENS)
    chunked = greedy(Book(model, 8, most), {5: long}, CHUNK, CHUNK, TOKENS)
    assert whole[3] == chunked[5]


@pytest.mark.slow
def test_tokens_do_not_depend_on_company_or_chunks() -> None:
    model = random_model(replace(WIDE, layers=3), "bfloat16")
    *prompts, long = random_prompts(1, 9, 33, 40, 17, 5, 48, 600)
    check_any_company(model, prompts, long, 40)


def test_logits_are_those_without_pages_but_for_rounding() -> None:
    model = random_model(replace(WIDE, layers=3), "bfloat16")
    for text in random_prompts(9, 120):
        got = Book(model, 1, 8).extend({0: text}, 128, 128)[0]
        want = unpaged(model, text, 128)
        np.testing.assert_allclose(got, want, atol=0.02 * np.abs(want).max())


@pytest.mark.slow
@pytest.mark.real_model
def test_the_default_models_tokens_do_not_depend_on_company_or_chunks(smollm2_path: Path) -> None:
    model = load(smollm2_path)
    prompts = [model.tokenizer.encode(text)[:48] for text in PROMPTS]
    long = (model.tokenizer.encode(PROMPTS[-1]) * 6)[:600]
    check_any_company(model, prompts, long, 40)


@pytest.mark.slow
@pytest.mark.real_model
@pytest.mark.data
def test_200_sentences_equal_those_of_transformers(smollm2_path: Path, data_folder: Path) -> None:
    """In float32, up to the first token whose lead over the next is within rounding."""
    golden = json.loads(GOLDEN.read_text())
    model, rows = load(smollm2_path, "float32"), golden["tokens"]
    prompts = [model.tokenizer.encode(text) for text in summary_prompts(data_folder)]
    book = Book(model, len(prompts), -(-(max(map(len, prompts)) + len(rows[0])) // 16))
    said = together(book, dict(enumerate(prompts)), len(rows[0]))
    near = {(row, at) for row, at, lead in golden["near"] if lead < 1e-3}
    for row, (got, want) in enumerate(zip(said, rows, strict=True)):
        differs = [at for at, (a, b) in enumerate(zip(got, want, strict=True)) if a != b]
        assert not differs or (row, differs[0]) in near, row


def together(book: Book, prompts: Mapping[int, Sequence[int]], tokens: int) -> list[list[int]]:
    """As `greedy`, 16 prompts a run."""
    said: list[list[int]] = [[] for _ in prompts]
    for at in range(0, len(prompts), 16):
        tile = {slot: prompts[slot] for slot in range(at, min(at + 16, len(prompts)))}
        logits = book.extend(tile, 16 * 96, 96)
        for slot in tile:
            said[slot].append(int(logits[slot].argmax()))
    for _ in range(tokens - 1):
        logits = book.step({slot: row[-1] for slot, row in enumerate(said)})
        for slot, row in enumerate(said):
            row.append(int(logits[slot].argmax()))
    return said
