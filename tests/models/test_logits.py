"""Logits of the default model against those that transformers computes from the same file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pytest
from flax import nnx
from jaxtyping import Array, Float

from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.label_trie import build_trie
from sqlax.models.language_model import PackedRows, Params
from sqlax.models.linear import contract
from sqlax.models.registry.load import load
from tests.models.golden.prompts import LABELS, PROMPTS, reviews
from tests.models.random_llama import pack

pytestmark = pytest.mark.real_model

GOLDEN = json.loads((Path(__file__).parent / "golden" / "logits.json").read_text())
PROBES: list[int] = GOLDEN["probes"]
TILE_ROWS, TILE_TOKENS, ROW_TOKENS = 50, 1152, 40
REVIEWS = np.array(GOLDEN["reviews"])
"""Of each review in float32: best token, its lead over the next, lead of the first label."""

FLOAT32_RELATIVE = 1e-3
BFLOAT16_BOUND = 0.1
"""Most that bfloat16 moves the difference of two logits; logits of these prompts reach 32."""
NEAR_TIES = 15
"""Most of the 500 prompts whose float32 lead is so small that bfloat16 may pick the other."""


def last_logits(
    model: CausalLanguageModel, texts: Sequence[str], rows: int, tokens: int, row_tokens: int
) -> npt.NDArray[np.float32]:
    """All logits after the last token of each text, `rows` texts at a time."""
    trie = jax.tree.map(jnp.asarray, build_trie([[token] for token in PROBES]))

    @jax.jit
    def run(params: Params, packed: PackedRows) -> Float[Array, "rows vocabulary"]:
        decoder = nnx.merge(model.graph, params)
        hidden = decoder.read(None, jnp.int32(0), packed, trie)[:, 0]
        return contract(hidden, decoder.output_embedding, ((1,), (1,)))

    prompts = [model.tokenizer.encode(text) for text in texts]
    tiles = [prompts[at : at + rows] for at in range(0, len(prompts), rows)]
    return np.concatenate(
        [run(model.params, pack(tile, trie, tokens, row_tokens)) for tile in tiles]
    )


@pytest.fixture(scope="module")
def exact(smollm2_path: Path) -> npt.NDArray[np.float32]:
    return last_logits(load(smollm2_path, "float32"), PROMPTS, len(PROMPTS), 512, 256)


@pytest.fixture(scope="module")
def rough(smollm2_path: Path) -> npt.NDArray[np.float32]:
    return last_logits(load(smollm2_path), reviews(), TILE_ROWS, TILE_TOKENS, ROW_TOKENS)


@pytest.mark.parametrize("prompt", range(len(PROMPTS)))
def test_float32_logits(exact: npt.NDArray[np.float32], prompt: int) -> None:
    logits, golden = exact[prompt], GOLDEN["prompts"][prompt]
    top = np.argsort(logits)[::-1][: len(golden["top"])]
    assert top.tolist() == golden["top"]
    np.testing.assert_allclose(logits[top], golden["top_logits"], rtol=FLOAT32_RELATIVE)
    np.testing.assert_allclose(logits[PROBES], golden["probe_logits"], rtol=FLOAT32_RELATIVE)


def test_bfloat16_label_scores(rough: npt.NDArray[np.float32]) -> None:
    """Measured: 0.062 at most and 0.013 on average; one label of 500 flips, by a lead of 0.006."""
    positive, negative = PROBES[: len(LABELS)]
    lead = rough[:, positive] - rough[:, negative]
    golden = REVIEWS[:, 2]
    assert np.abs(lead - golden).max() < BFLOAT16_BOUND
    assert np.abs(lead - golden).mean() < BFLOAT16_BOUND / 4
    flipped = np.sign(lead) != np.sign(golden)
    assert np.abs(golden[flipped]).max(initial=0) < BFLOAT16_BOUND
    assert flipped.sum() <= NEAR_TIES


def test_bfloat16_argmax_over_the_vocabulary(rough: npt.NDArray[np.float32]) -> None:
    """Measured: 491 of 500 equal; in the other 9 the float32 lead is 0.00017 to 0.069.

    transformers' own bfloat16 differs from its float32 in 10 of the 500. With the weights rounded
    and all else in float32 3 differ, with activations in two bfloat16 halves 6: both are by hand.
    """
    differs = rough.argmax(axis=1) != REVIEWS[:, 0]
    assert REVIEWS[differs, 1].max(initial=0) < BFLOAT16_BOUND
    assert differs.sum() <= NEAR_TIES


def test_bfloat16_is_as_close_to_float32_as_the_reference(rough: npt.NDArray[np.float32]) -> None:
    positive, negative = PROBES[: len(LABELS)]
    ours = np.abs(rough[:, positive] - rough[:, negative] - REVIEWS[:, 2]).mean()
    theirs = np.abs(np.array(GOLDEN["bfloat16_reviews"])[:, 2] - REVIEWS[:, 2]).mean()
    assert ours < theirs
