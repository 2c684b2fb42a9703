"""Rows continued from pages: against plain forward passes, and in other company."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.language_model import GeneratingModel, PagedRows
from sqlax.models.llama.config import LlamaConfig
from tests.models.paging import Book
from tests.models.random_llama import (
    TINY,
    model_of,
    random_model,
    random_tensors,
    reference_logits,
)
from tests.models.test_causal_lm import BIASED, DEEPER, SCANNED, STRETCHED, WIDE, random_prompts

SMALLEST_SMOLLM = LlamaConfig(
    layers=3,
    width=576,
    heads=9,
    kv_heads=3,
    head_dim=64,
    ffn_width=1536,
    vocabulary=97,
    context_length=2048,
)
"""The sizes of SmolLM2-135M's layers."""
CASES = {
    "unrolled": (DEEPER, 13),
    "scanned": (SCANNED, 13),
    "no prefix": (TINY, 0),
    "one layer": (replace(TINY, layers=1), 13),
    "bias, own head": (BIASED, 5),
    "stretched rope": (STRETCHED, 13),
}


def prefill(book: Book, prompts: dict[int, list[int]], chunk: int, shape: tuple[int, int]) -> Any:
    """Logits after each prompt, brought `chunk` tokens a row and run."""
    rest, after = dict(prompts), dict[int, Any]()
    while rest:
        logits = book.extend({s: p[:chunk] for s, p in rest.items()}, *shape)
        after |= {slot: logits[slot] for slot in rest}
        rest = {slot: p[chunk:] for slot, p in rest.items() if p[chunk:]}
    return after


@pytest.mark.parametrize(("config", "prefix"), CASES.values(), ids=CASES.keys())
def test_logits_equal_a_plain_forward_pass(config: LlamaConfig, prefix: int) -> None:
    model, tensors = random_model(config), random_tensors(config)
    before, *texts = random_prompts(prefix, 5, 70, 130, 1)
    book, slots = Book(model, 5, 12, before), dict(zip((0, 2, 3, 4), texts, strict=True))
    after = prefill(book, slots, 40, (160, 48))
    for _ in range(2):
        for slot, text in slots.items():
            want = reference_logits(config, tensors, before + text)[-1]
            np.testing.assert_allclose(after[slot], want, atol=2e-4)
        new = {slot: int(after[slot].argmax()) for slot in slots}
        after = book.step(new)
        slots = {slot: [*text, new[slot]] for slot, text in slots.items()}


def test_a_long_row_behind_a_long_prefix() -> None:
    model, tensors = random_model(), random_tensors(TINY)
    before, text = random_prompts(530, 600)
    book = Book(model, 2, 40, before)
    after = prefill(book, {1: text}, 512, (512, 512))
    want = reference_logits(TINY, tensors, before + text)[-1]
    np.testing.assert_allclose(after[1], want, atol=5e-4)


@pytest.mark.parametrize(
    "config",
    [
        pytest.param(replace(WIDE, layers=3), id="32 rows at least"),
        pytest.param(SMALLEST_SMOLLM, id="8 rows at least"),
    ],
)
def test_logits_are_the_same_bits_however_a_row_came_into_its_pages(config: LlamaConfig) -> None:
    """Also where every token of it was a decode step, among any number of slots.

    In bfloat16: float32 products on a CPU add up in an order that depends on their shape.
    """
    model = random_model(config, "bfloat16")
    text, long = random_prompts(75, 200)
    want = prefill(Book(model, 8, 5), {0: text}, 75, (128, 128))[0]
    ways = {
        "another slot and tile": (Book(model, 8, 5), 3, 75, (256, 80)),
        "chunks": (Book(model, 8, 5), 1, 32, (128, 32)),
        "odd sizes": (Book(model, 3, 7), 1, 19, (57, 21)),
        "alone": (Book(model, 1, 5), 0, 75, (128, 128)),
        "tokens alone": (Book(model, 1, 5), 0, 1, (1, 1)),
        "tokens": (Book(model, 33, 5), 20, 1, (33, 1)),
        "tokens, few slots": (Book(model, 9, 5), 7, 1, (9, 1)),
        "tokens, many slots": (Book(model, 102, 5), 20, 1, (102, 1)),
    }
    for name, (book, slot, chunk, shape) in ways.items():
        got = prefill(book, {slot: text}, chunk, shape)[slot]
        np.testing.assert_array_equal(got, want, err_msg=name)
    beside = prefill(Book(model, 8, 13), {2: text, 5: long}, 200, (512, 256))[2]
    np.testing.assert_array_equal(beside, want)


def test_scanned_layers_give_the_bits_of_unrolled_ones() -> None:
    text, *_ = random_prompts(50)
    got = []
    for config in (DEEPER, SCANNED):
        book = Book(random_model(config, "bfloat16"), 4, 5)
        got.append((prefill(book, {1: text}, 32, (64, 32))[1], book.step({1: 7})[1]))
    np.testing.assert_array_equal(got[0], got[1])


def test_what_an_overflown_row_left_behind_does_not_matter() -> None:
    tensors = random_tensors(TINY)
    tensors["model.embed_tokens.weight"][13] = np.inf
    book = Book(model_of(TINY, tensors), 2, 4)
    text = [2, 4, 6]
    want = prefill(book, {0: text}, 3, (32, 16))[0]
    book.clear(0)
    assert np.isnan(prefill(book, {0: [13] * 40, 1: [13]}, 16, (32, 16))[0]).all()
    book.clear(0)
    np.testing.assert_array_equal(prefill(book, {0: text}, 3, (32, 16))[0], want)


def decode(model: CausalLanguageModel, slots: int) -> Any:
    """A loop of greedy decode steps."""
    slot = jnp.arange(slots, dtype=jnp.int32)

    def run(params: Any, pages: Any, table: Any, times: Any) -> Any:
        def turn(state: Any) -> Any:
            i, token, pages = state
            ones = jnp.ones(slots, jnp.int32)
            rows = PagedRows(token, slot, slot, ones, ones * i, ones, table, row_capacity=1)
            hidden, pages = model.extend(params, None, jnp.int32(0), rows, pages)
            token = jax.lax.argmax(model.logits(params, hidden), 1, jnp.int32)
            return i + 1, token, pages

        return jax.lax.while_loop(lambda s: s[0] < times, turn, (jnp.int32(0), slot, pages))[1:]

    return jax.jit(run, donate_argnums=1)


def memory(model: CausalLanguageModel, pages: int) -> tuple[int, int, int]:
    """Bytes of a decode loop's temporaries, of its inputs that are its outputs, of its pages."""
    arrays, table = model.new_pages(pages), jnp.zeros((8, 4), jnp.int32)
    lowered = decode(model, 8).lower(model.params, arrays, table, jnp.int32(3))
    used = lowered.compile().memory_analysis()
    size = sum(x.nbytes for x in jax.tree.leaves(arrays))
    return used.temp_size_in_bytes, used.alias_size_in_bytes, size


@pytest.mark.parametrize("config", [DEEPER, SCANNED], ids=["unrolled", "scanned"])
def test_a_decode_loop_copies_neither_pages_nor_weights(config: LlamaConfig) -> None:
    model = random_model(replace(config, vocabulary=40_000), "bfloat16")
    small, large = memory(model, 9), memory(model, 4097)
    assert large[0] == small[0] < large[2] / 4
    assert large[1] >= large[2]
    logits, embedding = 32 * 40_000 * 4, 40_000 * TINY.width * 2
    assert small[0] < logits + embedding


def test_64_bit_types_change_nothing() -> None:
    model = random_model(DEEPER)

    def run() -> Any:
        return decode(model, 3), (model.params, model.new_pages(7), table, np.int32(4))

    table = jnp.arange(1, 7, dtype=jnp.int32).reshape(3, 2)
    function, inputs = run()
    narrow, _ = function(*inputs)
    with jax.enable_x64(True):
        function, inputs = run()
        graph = str(jax.make_jaxpr(function)(*inputs))
        np.testing.assert_array_equal(function(*inputs)[0], narrow)
    assert re.findall(r"\w:[fiu]64\[\d+.*", graph) == []


def test_rows_of_one_token_need_a_token_each() -> None:
    book = Book(random_model(), 3, 2)
    with pytest.raises(ValueError, match="a run of 32 rows with one token each has 64"):
        book.extend({0: [1]}, 64, 1)


def test_it_is_a_generating_model() -> None:
    assert isinstance(random_model(), GeneratingModel)


def chunk_bytes(model: CausalLanguageModel, longest: int) -> int:
    """Temporary bytes of a chunk of 512 tokens for four rows of up to `longest` tokens."""
    of, most = jnp.arange(512, dtype=jnp.int32) // 128, -(-longest // 16)
    start, length = jnp.arange(4, dtype=jnp.int32) * 128, jnp.full(4, 128, jnp.int32)
    table = jnp.zeros((4, most), jnp.int32)
    before = length * 0 + (longest - 128)
    rows = PagedRows(of * 0, of, start, length, before, length, table, row_capacity=128)
    given = (model.params, None, jnp.int32(0), rows, model.new_pages(9))
    used: Any = jax.jit(model.extend, donate_argnums=4).lower(*given).compile().memory_analysis()
    return int(used.temp_size_in_bytes)


def test_a_chunks_memory_depends_on_its_tokens_and_not_on_the_longest_row() -> None:
    model = random_model(DEEPER, "bfloat16")
    short, long = chunk_bytes(model, 128), chunk_bytes(model, 8192)
    # Page numbers as int32: of as many rows as are computed at least, and of each block of queries.
    page_numbers = (32 + 24) * (8192 // 16) * 4
    assert long - short < 1.5 * page_numbers < short / 10
