"""How layers get into a program."""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.llama.config import LlamaConfig
from tests.models.random_llama import TINY, random_model


def products(layers: int) -> int:
    """Matrix products in the compiled program that reads a prefix."""
    model = random_model(replace(TINY, layers=layers))
    tokens = jnp.arange(16, dtype=jnp.int32)
    compiled = model._prefill.lower(model.params, tokens, np.int32(9)).compile()
    return str(compiled.as_text()).count(" dot(")


def test_reading_a_prefix_is_in_a_program_once_for_all_layers() -> None:
    assert products(7) == products(3) > 0


@pytest.mark.parametrize("config", [TINY, replace(TINY, layers=1)], ids=["two", "one"])
def test_each_layer_keeps_its_own_part_of_a_prefix(config: LlamaConfig) -> None:
    model = random_model(config)
    prefix = model.prefill(model.params, jnp.arange(16, dtype=jnp.int32), jnp.int32(9))
    assert len(prefix.body) == config.layers - 1
    for cache in prefix.body:
        assert cache.key.shape == prefix.last.key.shape
