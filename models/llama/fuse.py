"""A Llama's tensors as its decoder multiplies with them: `[in, out]`, side by side where one does.

A tensor is made when it is asked for and let go before the next, so that a lazy mapping never holds
the model twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from sqlax.errors import CorruptModelError
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.weights.checkpoint import LazyTensors, Tensor

Parts: TypeAlias = Sequence[tuple[str, int]]
"""Names of matrices within a layer, and the outputs of each."""

Read: TypeAlias = Callable[[], Tensor]

FORMAT = 1
"""Of these tensors; to be raised whenever a name comes to stand for other numbers."""
LAYER = "layers.{}."
"""What the names of a layer's tensors begin with."""


def fused(
    config: LlamaConfig, tensors: Mapping[str, Tensor], dtype: np.dtype[Any]
) -> Mapping[str, Tensor]:
    """The decoder's tensors by their places in it, matrices in `dtype`, norms and biases float32.

    Args:
        config: the model's shape.
        tensors: weights by their Hugging Face names, matrices as [out, in], rotary channels as
            two halves.
        dtype: bfloat16, or float32 for reference results.

    Raises:
        CorruptModelError: when it is asked for: a tensor is missing or has the wrong shape.
    """
    source = _Source(tensors, dtype)
    embedding = (config.vocabulary, config.width)
    readers: dict[str, Read] = {
        "embedding": partial(source.matrix, "model.embed_tokens.weight", embedding),
        "norm": partial(source.vector, "model.norm.weight", config.width),
    }
    if not config.tied_embeddings:
        readers["head"] = partial(source.matrix, "lm_head.weight", embedding)
    for layer in range(config.layers):
        block = _block(source, config, f"model.layers.{layer}.")
        readers |= {LAYER.format(layer) + name: read for name, read in block.items()}
    return LazyTensors(readers)


def _block(source: _Source, config: LlamaConfig, prefix: str) -> dict[str, Read]:
    width, query, kv, ffn = config.width, config.query_width, config.kv_width, config.ffn_width
    qkv = [(f"self_attn.{name}_proj", n) for name, n in zip("qkv", (query, kv, kv), strict=True)]
    gate_up = [("mlp.gate_proj", ffn), ("mlp.up_proj", ffn)]
    readers: dict[str, Read] = {
        "attention_norm": partial(source.vector, f"{prefix}input_layernorm.weight", width),
        "qkv": partial(source.fused, prefix, qkv, width),
        "out": partial(source.fused, prefix, [("self_attn.o_proj", width)], query),
        "ffn_norm": partial(source.vector, f"{prefix}post_attention_layernorm.weight", width),
        "gate_up": partial(source.fused, prefix, gate_up, width),
        "down": partial(source.fused, prefix, [("mlp.down_proj", width)], ffn),
    }
    if config.attention_bias:
        readers["bias"] = partial(source.bias, prefix, qkv)
    return readers


class _Source:
    """Tensors by name, checked, in the dtype asked for."""

    def __init__(self, tensors: Mapping[str, Tensor], dtype: np.dtype[Any]) -> None:
        self._tensors = tensors
        self._dtype = dtype

    def matrix(self, name: str, shape: tuple[int, int]) -> Tensor:
        return self._checked(name, shape).astype(self._dtype, copy=False)

    def vector(self, name: str, size: int) -> Tensor:
        return self._checked(name, (size,)).astype(np.float32, copy=False)

    def fused(self, prefix: str, parts: Parts, inputs: int) -> Tensor:
        """Matrices side by side as [in, out]."""
        matrix = np.empty((inputs, sum(outputs for _, outputs in parts)), self._dtype)
        start = 0
        for name, outputs in parts:
            tensor = self.matrix(f"{prefix}{name}.weight", (outputs, inputs))
            matrix[:, start : start + outputs] = tensor.T
            start += outputs
        return matrix

    def bias(self, prefix: str, parts: Parts) -> Tensor:
        return np.concatenate([self.vector(f"{prefix}{name}.bias", n) for name, n in parts])

    def _checked(self, name: str, shape: tuple[int, ...]) -> Tensor:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise CorruptModelError(f"tensor {name} is missing; expected shape {shape}")
        if tensor.shape != shape:
            raise CorruptModelError(f"tensor {name} has shape {tensor.shape}, expected {shape}")
        return tensor
