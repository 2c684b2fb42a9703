"""Drawing tokens, against a plain reference."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pytest

from sqlax.runtime.generate.inputs import Sampling
from sqlax.runtime.generate.sample import _cut, drawn

EVERY = (1 << 31) - 1
Logits = npt.NDArray[np.float32]


def sampling(
    temperature: float = 1.0, top_k: int = EVERY, top_p: float = 1.0, min_p: float = 0.0
) -> Sampling:
    return Sampling(
        jnp.float32(temperature),
        jnp.int32(top_k),
        jnp.float32(top_p),
        jnp.float32(min_p),
        jnp.uint32(7),
    )


def random_logits(rows: int, vocabulary: int, seed: int = 0) -> Logits:
    return np.random.default_rng(seed).normal(0, 2, (rows, vocabulary)).astype(np.float32)


@jax.jit
def _drawn(logits: Any, mask: Any, how: Sampling, key: Any, number: Any) -> Any:
    return drawn(logits, mask, how, key, number)


def draw(logits: Logits, how: Sampling, numbers: range, mask: Any = None) -> npt.NDArray[np.int32]:
    """The token that each row draws at each number, `[numbers, rows]`."""
    allowed = jnp.ones(logits.shape, bool) if mask is None else jnp.asarray(mask)
    key = jnp.arange(logits.shape[0], dtype=jnp.uint32) * 977
    with jax.enable_x64(True):
        rows = [
            _drawn(logits, allowed, how, key, jnp.full(len(logits), number, jnp.int32))
            for number in numbers
        ]
    return np.asarray(rows)


def kept(logits: Logits, how: Sampling) -> npt.NDArray[np.bool_]:
    """What top-k, top-p and min-p leave, by sorting."""
    rows = []
    for row in logits.astype(np.float64):
        order = np.argsort(-row, kind="stable")
        weight = np.exp(row - row.max())
        left = np.zeros(len(row), bool)
        left[order[: min(int(how.top_k), len(row))]] = True
        held = np.cumsum(np.where(left, weight, 0)[order])
        if how.top_p < 1:
            left[order[np.argmax(held >= float(how.top_p) * held[-1]) + 1 :]] = False
        left &= weight >= float(how.min_p)
        left[order[0]] = True
        rows.append(left)
    return np.asarray(rows)


CUTS = [
    {"top_k": 1},
    {"top_k": 5},
    {"top_k": 10**6},
    {"top_p": 0.3},
    {"top_p": 0.9},
    {"top_p": 0.0},
    {"min_p": 0.1},
    {"min_p": 1.0},
    {"top_k": 20, "top_p": 0.8, "min_p": 0.05},
]


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("vocabulary", [7, 97, 1500])
def test_cuts_leave_what_sorting_leaves(cut: dict[str, Any], vocabulary: int) -> None:
    logits, how = random_logits(6, vocabulary), sampling(**cut)
    with jax.enable_x64(True):
        left = np.asarray(jax.jit(_cut)(jnp.asarray(logits), how))
    assert (left == kept(logits, how)).all()


def test_equal_logits_at_the_edge_are_all_left() -> None:
    logits = np.asarray([[1, 3, 3, 3, 0]], np.float32)
    with jax.enable_x64(True):
        left = np.asarray(_cut(jnp.asarray(logits), sampling(top_k=2)))
    assert left.tolist() == [[False, True, True, True, False]]


@pytest.mark.parametrize("how", [{"temperature": 0.0}, {"top_k": 1}, {"min_p": 1.0}], ids=str)
def test_without_a_choice_the_likeliest_is_taken(how: dict[str, Any]) -> None:
    logits = random_logits(9, 97)
    assert (draw(logits, sampling(**how), range(3)) == logits.argmax(1)).all()


def test_only_allowed_tokens_are_drawn() -> None:
    logits = random_logits(9, 97)
    mask = np.random.default_rng(3).random(logits.shape) < 0.1
    mask[:, 0] = True
    for how in (sampling(), sampling(0.0), sampling(3.0), sampling(top_k=3)):
        tokens = draw(logits, how, range(20), mask)
        assert np.take_along_axis(mask, tokens.T, 1).all()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_tokens_are_drawn_as_often_as_they_are_likely(temperature: float) -> None:
    row = np.asarray([2.0, 1.0, 0.0, -1.0, -30.0], np.float32)
    logits = np.tile(row, (4096, 1))
    share = np.bincount(draw(logits, sampling(temperature), range(2)).ravel(), minlength=5) / 8192
    want = np.exp(row / temperature) / np.exp(row / temperature).sum()
    np.testing.assert_allclose(share, want, atol=4 * 0.5 / 8192**0.5)


def test_a_row_draws_the_same_in_any_company() -> None:
    logits, how = random_logits(12, 700), sampling(1.5)
    key = jnp.arange(12, dtype=jnp.uint32) * 31
    number = jnp.arange(12, dtype=jnp.int32)
    order = np.random.default_rng(1).permutation(12)
    mask = jnp.ones((12, 700), bool)
    with jax.enable_x64(True):
        together = np.asarray(_drawn(logits, mask, how, key, number))
        mixed = np.asarray(_drawn(logits[order], mask, how, key[order], number[order]))
        alone = [
            int(_drawn(logits[i : i + 1], mask[:1], how, key[i : i + 1], number[i : i + 1])[0])
            for i in range(3)
        ]
    assert (mixed == together[order]).all()
    assert alone == together[:3].tolist()


def test_another_seed_number_or_key_draws_another_token() -> None:
    logits = np.zeros((64, 1500), np.float32)
    first, second = draw(logits, sampling(), range(2))
    assert (first != second).mean() > 0.9
    assert len(set(first.tolist())) > 50
