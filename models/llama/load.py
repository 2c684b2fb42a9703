"""A Llama from named tensors, one tensor at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jax.typing import DTypeLike

from sqlax.errors import CorruptModelError
from sqlax.models.llama.block import Attention, Block, FeedForward, Norm
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.llama.decoder import Llama
from sqlax.models.llama.stack import Scanned, Unrolled

Tensor: TypeAlias = npt.NDArray[Any]
OfLayer: TypeAlias = Callable[[int], Tensor]
"""One weight of the layer with that number."""


def build(config: LlamaConfig, tensors: Mapping[str, Tensor], dtype: DTypeLike) -> Llama:
    """The model with matrices in `dtype` and norms and biases in float32.

    A tensor is asked for by name, once, and let go before the next, so that a lazy mapping never
    holds the model twice.

    Args:
        config: the model's shape.
        tensors: weights by their Hugging Face names, matrices as [out, in], rotary channels as
            two halves.
        dtype: bfloat16, or float32 for reference results.

    Raises:
        CorruptModelError: a tensor is missing or has the wrong shape.
    """
    source = _Source(config, tensors, np.dtype(dtype))
    embedding = (config.vocabulary, config.width)
    return Llama(
        config,
        jnp.asarray(source.matrix("model.embed_tokens.weight", embedding)),
        (_body(source), _block(source, lambda weight: jnp.asarray(weight(config.layers - 1)))),
        Norm(jnp.asarray(source.vector("model.norm.weight", config.width)), config.norm_epsilon),
        None if config.tied_embeddings else jnp.asarray(source.matrix("lm_head.weight", embedding)),
    )


class _Source:
    """Tensors by name, checked, in the dtype asked for."""

    def __init__(
        self, config: LlamaConfig, tensors: Mapping[str, Tensor], dtype: np.dtype[Any]
    ) -> None:
        self.config = config
        self._tensors = tensors
        self._dtype = dtype

    def matrix(self, name: str, shape: tuple[int, int]) -> Tensor:
        return self._checked(name, shape).astype(self._dtype, copy=False)

    def vector(self, name: str, size: int) -> Tensor:
        return self._checked(name, (size,)).astype(np.float32, copy=False)

    def fused(self, layer: int, parts: Sequence[tuple[str, int]], inputs: int) -> Tensor:
        """Matrices side by side as [in, out]; `parts` are names within the layer and outputs."""
        prefix = f"model.layers.{layer}."
        matrix = np.empty((inputs, sum(outputs for _, outputs in parts)), self._dtype)
        start = 0
        for name, outputs in parts:
            tensor = self.matrix(f"{prefix}{name}.weight", (outputs, inputs))
            matrix[:, start : start + outputs] = tensor.T
            start += outputs
        return matrix

    def bias(self, layer: int, parts: Sequence[tuple[str, int]]) -> Tensor:
        prefix = f"model.layers.{layer}."
        return np.concatenate([self.vector(f"{prefix}{name}.bias", n) for name, n in parts])

    def _checked(self, name: str, shape: tuple[int, ...]) -> Tensor:
        tensor = self._tensors.get(name)
        if tensor is None:
            raise CorruptModelError(f"tensor {name} is missing; expected shape {shape}")
        if tensor.shape != shape:
            raise CorruptModelError(f"tensor {name} has shape {tensor.shape}, expected {shape}")
        return tensor


def _body(source: _Source) -> Unrolled | Scanned:
    layers = source.config.layers - 1
    if source.config.scan_layers:
        return Scanned(_block(source, lambda weight: _stacked(weight, layers)))
    return Unrolled([_block(source, _of(layer)) for layer in range(layers)])


def _of(layer: int) -> Callable[[OfLayer], jax.Array]:
    return lambda weight: jnp.asarray(weight(layer))


def _stacked(weight: OfLayer, layers: int) -> jax.Array:
    first = weight(0)
    stacked = np.empty((layers, *first.shape), first.dtype)
    for layer in range(layers):
        stacked[layer] = first if layer == 0 else weight(layer)
    return jnp.asarray(stacked)


def _block(source: _Source, take: Callable[[OfLayer], jax.Array]) -> Block:
    """A layer; `take` makes an array of a weight, of one layer or of all of them stacked."""
    return Block(
        _norm(source, take, "input_layernorm"),
        _attention(source, take),
        _norm(source, take, "post_attention_layernorm"),
        _feed_forward(source, take),
    )


def _norm(source: _Source, take: Callable[[OfLayer], jax.Array], name: str) -> Norm:
    config = source.config
    weight = take(lambda layer: source.vector(f"model.layers.{layer}.{name}.weight", config.width))
    return Norm(weight, config.norm_epsilon)


def _attention(source: _Source, take: Callable[[OfLayer], jax.Array]) -> Attention:
    config = source.config
    sizes = (config.query_width, config.kv_width, config.kv_width)
    qkv = [(f"self_attn.{name}_proj", size) for name, size in zip("qkv", sizes, strict=True)]
    out = [("self_attn.o_proj", config.width)]
    return Attention(
        config,
        take(lambda layer: source.fused(layer, qkv, config.width)),
        take(lambda layer: source.fused(layer, out, config.query_width)),
        take(lambda layer: source.bias(layer, qkv)) if config.attention_bias else None,
    )


def _feed_forward(source: _Source, take: Callable[[OfLayer], jax.Array]) -> FeedForward:
    config = source.config
    gate_up = [("mlp.gate_proj", config.ffn_width), ("mlp.up_proj", config.ffn_width)]
    return FeedForward(
        take(lambda layer: source.fused(layer, gate_up, config.width)),
        take(
            lambda layer: source.fused(layer, [("mlp.down_proj", config.width)], config.ffn_width)
        ),
    )
