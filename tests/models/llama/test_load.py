"""Building a Llama from named tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.errors import CorruptModelError
from sqlax.models.llama.load import build
from tests.models.random_llama import TINY, random_tensors

QUERY = "model.layers.1.self_attn.q_proj.weight"


class Recorded(Mapping[str, Any]):
    """Tensors that note how often each one is asked for."""

    def __init__(self) -> None:
        self.tensors = random_tensors(TINY)
        self.asked: list[str] = []

    def __getitem__(self, name: str) -> Any:
        self.asked.append(name)
        return self.tensors[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)


@pytest.mark.parametrize("scanned", [False, True])
def test_every_tensor_is_read_once(scanned: bool) -> None:
    tensors = Recorded()
    build(replace(TINY, scan_layers=scanned), tensors, jnp.bfloat16)
    assert sorted(tensors.asked) == sorted(tensors)


def test_matrices_get_the_dtype_and_norms_stay_float32() -> None:
    model = build(TINY, random_tensors(TINY), jnp.bfloat16)
    assert model.dtype == jnp.bfloat16
    assert model.last.attention.qkv[...].shape == (48, 96 + 2 * 32)
    assert model.last.attention.qkv[...].dtype == jnp.bfloat16
    assert model.norm.weight[...].dtype == jnp.float32


def test_a_missing_tensor_is_named() -> None:
    tensors = random_tensors(TINY)
    del tensors[QUERY]
    with pytest.raises(CorruptModelError, match=f"tensor {QUERY} is missing"):
        build(TINY, tensors, jnp.float32)


def test_a_tensor_of_the_wrong_shape_is_named() -> None:
    tensors = random_tensors(TINY)
    tensors[QUERY] = np.zeros((48, 96), np.float32)
    with pytest.raises(CorruptModelError, match=rf"{QUERY} has shape \(48, 96\), expected \(96"):
        build(TINY, tensors, jnp.float32)
