"""A Llama from named tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import jax
import numpy as np
from jax.typing import DTypeLike

from sqlax.models.llama.block import Attention, Block, FeedForward, Norm
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.llama.decoder import Llama
from sqlax.models.llama.fuse import LAYER, fused
from sqlax.models.llama.stack import Scanned, Unrolled
from sqlax.models.weights.checkpoint import Tensor

Take: TypeAlias = Callable[[str], jax.Array]
"""The array of a layer's tensor, or of all layers' tensors of that name, stacked."""


def build(config: LlamaConfig, tensors: Mapping[str, Tensor], dtype: DTypeLike) -> Llama:
    """The model from a checkpoint's tensors; see `fused` for the arguments and errors."""
    return assemble(config, fused(config, tensors, np.dtype(dtype)))


def assemble(config: LlamaConfig, tensors: Mapping[str, Tensor]) -> Llama:
    """The model from what `fused` gives, each tensor asked for once.

    On a CPU an array is the tensor's own memory, where that begins at a multiple of 64 bytes: what
    is mapped from a file is read when it is used, and never copied.
    """

    def take(name: str) -> jax.Array:
        return _array(tensors[name])

    head = None if config.tied_embeddings else take("head")
    last = _block(config, lambda name: take(LAYER.format(config.layers - 1) + name))
    norm = Norm(take("norm"), config.norm_epsilon)
    return Llama(config, take("embedding"), (_body(config, tensors), last), norm, head)


def _array(tensor: Tensor) -> jax.Array:
    """`jnp.asarray` would copy it."""
    array: jax.Array = jax.device_put(tensor, may_alias=True)
    return array


def _body(config: LlamaConfig, tensors: Mapping[str, Tensor]) -> Unrolled | Scanned:
    layers = [LAYER.format(layer) for layer in range(config.layers - 1)]
    if config.scan_layers:
        return Scanned(_block(config, lambda name: _stacked(tensors, [x + name for x in layers])))
    return Unrolled([_block(config, _of(tensors, layer)) for layer in layers])


def _of(tensors: Mapping[str, Tensor], layer: str) -> Take:
    return lambda name: _array(tensors[layer + name])


def _stacked(tensors: Mapping[str, Tensor], names: list[str]) -> jax.Array:
    first = tensors[names[0]]
    stacked = np.empty((len(names), *first.shape), first.dtype)
    for place, name in enumerate(names):
        stacked[place] = first if place == 0 else tensors[name]
    return _array(stacked)


def _block(config: LlamaConfig, take: Take) -> Block:
    bias = take("bias") if config.attention_bias else None
    return Block(
        Norm(take("attention_norm"), config.norm_epsilon),
        Attention(config, take("qkv"), take("out"), bias),
        Norm(take("ffn_norm"), config.norm_epsilon),
        FeedForward(take("gate_up"), take("down")),
    )
