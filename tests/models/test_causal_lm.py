"""The packed graph against a plain forward pass of each prompt and label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.label_trie import build_trie
from sqlax.models.language_model import LabelTrie, LanguageModel, PackedRows
from sqlax.models.llama.config import LlamaConfig, RopeScaling
from tests.models.random_llama import (
    TINY,
    model_of,
    pack,
    random_model,
    random_tensors,
    reference_scores,
)

SINGLE = [[5], [9], [11]]
SEVERAL = [[5, 6, 7], [5, 6, 8], [5, 3], [9], [11, 5, 6]]
DEEPER = replace(TINY, layers=3)
SCANNED = replace(DEEPER, scan_layers=True)
BIASED = replace(TINY, attention_bias=True, tied_embeddings=False)
STRETCHED = replace(TINY, rope_scaling=RopeScaling(8.0, 1.0, 4.0, 64))
WIDE = LlamaConfig(
    layers=2,
    width=192,
    heads=6,
    kv_heads=2,
    head_dim=32,
    ffn_width=320,
    vocabulary=257,
    context_length=512,
)
CASES = {
    "single tokens": (TINY, SINGLE, 13, 16),
    "several tokens": (TINY, SEVERAL, 13, 16),
    "no prefix": (TINY, SEVERAL, 0, 0),
    "empty prefix": (TINY, SINGLE, 0, 8),
    "scanned": (SCANNED, SEVERAL, 13, 16),
    "scanned, no prefix": (SCANNED, SINGLE, 0, 0),
    "bias, own head": (BIASED, SEVERAL, 5, 8),
    "one layer": (replace(TINY, layers=1), SEVERAL, 13, 16),
    "stretched rope": (STRETCHED, SEVERAL, 13, 16),
}


def random_prompts(*lengths: int, seed: int = 1) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, TINY.vocabulary, n).tolist() for n in lengths]


class Scorer:
    """A model behind one compiled function, and a constant prefix."""

    def __init__(self, model: CausalLanguageModel, prefix: Sequence[int], capacity: int) -> None:
        def run(params: Any, tokens: Any, length: Any, rows: PackedRows, trie: LabelTrie) -> Any:
            state = model.prefill(params, tokens, length)
            return model.score(params, state, length, rows, trie)

        tokens = np.full(capacity, 3, np.int32)
        tokens[: len(prefix)] = prefix
        self.inputs = (model.params, tokens, np.int32(len(prefix)))
        self.run = jax.jit(run)

    def __call__(self, rows: PackedRows, trie: LabelTrie) -> Any:
        """The scores of `rows`."""
        with jax.numpy_dtype_promotion("strict"):
            return np.array(self.run(*self.inputs, rows, trie))


def scores(
    model: CausalLanguageModel,
    prefix: Sequence[int],
    capacity: int,
    rows: PackedRows,
    trie: LabelTrie,
) -> Any:
    return Scorer(model, prefix, capacity)(rows, trie)


@pytest.mark.parametrize(
    ("config", "labels", "prefix", "capacity"), CASES.values(), ids=CASES.keys()
)
def test_scores_equal_a_plain_forward_pass(
    config: LlamaConfig, labels: list[list[int]], prefix: int, capacity: int
) -> None:
    model, tensors = random_model(config), random_tensors(config)
    trie = build_trie(labels)
    before, *prompts = random_prompts(prefix, 1, 7, 12, 3)
    rows = pack(prompts, trie, 64, 32, [2, 0, None, 1, 3])
    got = scores(model, before, capacity, rows, trie)
    assert np.all(got[:, len(labels) :] == -np.inf)
    for slot, prompt in ((0, 2), (1, 0), (3, 1), (4, 3)):
        want = reference_scores(config, tensors, before + prompts[prompt], labels)
        offset = 0.0 if trie.normalise else want[0] - got[slot, 0]
        np.testing.assert_allclose(got[slot, : len(labels)] + offset, want, atol=2e-4)


def test_rows_and_prefixes_computed_in_blocks() -> None:
    model, tensors, trie = random_model(), random_tensors(TINY), build_trie(SEVERAL)
    before, *prompts = random_prompts(530, 600, 9)
    rows = pack(prompts, trie, 768, 768)
    got = scores(model, before, 600, rows, trie)
    for slot, prompt in enumerate(prompts):
        want = reference_scores(TINY, tensors, before + prompt, SEVERAL[:2])
        np.testing.assert_allclose(got[slot, :2], want, atol=5e-4)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("labels", [SINGLE, SEVERAL], ids=["single", "several"])
def test_a_row_scores_the_same_bits_wherever_it_stands(dtype: str, labels: list[list[int]]) -> None:
    model, trie = random_model(WIDE, dtype), build_trie(labels)
    before, *prompts = random_prompts(21, 9, 1, 30, 17, 23, 5, 12, 28)
    score = Scorer(model, before, 32)
    seen: dict[int, Any] = {}
    for slots in (
        [0, 1, 2, 3, 4, 5],
        [None, 5, 4, 3, 2, 1],
        [7, 7, 6, 2, 0, 3],
        [4, None, None, None, None, None],
        [None, None, None, None, None, 2],
    ):
        got = score(pack(prompts, trie, 256, 48, slots), trie)
        for slot, prompt in enumerate(slots):
            if prompt is not None:
                np.testing.assert_array_equal(got[slot], seen.setdefault(prompt, got[slot]))


def test_a_row_is_untouched_by_a_neighbour_that_overflows() -> None:
    tensors = random_tensors(TINY)
    tensors["model.embed_tokens.weight"][13] = np.inf
    model, trie = model_of(TINY, tensors), build_trie(SINGLE)
    prompts = [[2, 4, 6], [13, 13]]
    score = Scorer(model, [], 0)
    alone = score(pack(prompts, trie, 32, 16, [0, None]), trie)
    beside = score(pack(prompts, trie, 32, 16, [0, 1]), trie)
    np.testing.assert_array_equal(beside[0], alone[0])
    assert np.isnan(beside[1, : len(SINGLE)]).all()


def test_scanned_layers_score_like_unrolled_ones() -> None:
    trie = build_trie(SEVERAL)
    before, *prompts = random_prompts(21, 9, 1, 30)
    rows = pack(prompts, trie, 64, 48)
    got = [scores(random_model(c, "bfloat16"), before, 32, rows, trie) for c in (DEEPER, SCANNED)]
    np.testing.assert_array_equal(got[0], got[1])


def test_64_bit_types_change_nothing() -> None:
    score, trie = Scorer(random_model(), [1, 2, 3], 8), build_trie(SEVERAL)
    rows = pack(random_prompts(9, 4), trie, 32, 16)
    narrow = score(rows, trie)
    with jax.enable_x64(True):
        graph = str(jax.make_jaxpr(score.run)(*score.inputs, rows, trie))
        np.testing.assert_array_equal(score(rows, trie), narrow)
    assert re.findall(r"\w:[fiu]64\[\d+.*", graph) == []


def temporary_bytes(function: Any, *inputs: Any) -> int:
    memory = jax.jit(function).lower(*inputs).compile().memory_analysis()
    assert memory is not None
    return int(memory.temp_size_in_bytes)


def test_memory_does_not_grow_with_the_square_of_a_row() -> None:
    model, trie = random_model(), build_trie(SINGLE)

    def of_row(length: int) -> int:
        rows = pack(random_prompts(length), trie, length, length)
        return temporary_bytes(model.score, model.params, None, np.int32(0), rows, trie)

    assert of_row(4096) < 2.5 * of_row(2048)


def test_scores_in_a_loop_over_branches_copy_no_weights() -> None:
    model, trie = random_model(replace(TINY, vocabulary=40_000)), build_trie(SINGLE)
    shapes = [pack(random_prompts(9, 4), trie, 32, capacity) for capacity in (16, 32)]

    def run(params: Any, times: Any) -> Any:
        def scored(rows: PackedRows) -> Any:
            return model.score(params, None, jnp.int32(0), rows, trie)

        branches = [lambda rows=rows: scored(rows) for rows in shapes]
        return jax.lax.fori_loop(
            0, times, lambda i, total: total + jax.lax.switch(i % 2, branches), jnp.zeros((2, 4))
        )

    embedding = 40_000 * TINY.width * 4
    assert temporary_bytes(run, model.params, np.int32(4)) < embedding


def test_it_is_a_language_model() -> None:
    model = random_model()
    assert isinstance(model, LanguageModel)
    assert model.kv_bytes_per_token == 2 * 2 * 2 * 16 * 4
    assert model.flops_per_token == 2 * 2 * (48 * (2 * 96 + 2 * 32) + 3 * 48 * 80)
