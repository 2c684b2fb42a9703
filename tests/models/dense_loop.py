"""Greedy writing of one text at a time, whose keys and values stand in plain arrays: no pages.

Each token of prompt and text takes a run of its own. A run has 32 rows, of which one is used: XLA
on a CPU adds up in another order for fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jaxtyping import Array

from sqlax.kvcache.prefix import Cache, Shared
from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.linear import linear
from sqlax.models.llama.attention import with_prefix
from sqlax.models.llama.block import Block
from sqlax.models.llama.paged import BLOCK
from sqlax.models.llama.rotary import angles
from sqlax.models.llama.softmax import Partial, attend_more, nothing

ROWS = 32

Choose = Callable[[Sequence[int], Array], int]
"""Gives the next token after a text's tokens so far and the logits."""


class DenseLoop:
    """A model with room for one text behind a constant prefix.

    Args:
        model: its layers stand apart.
        prefix: tokens that are read at once, before all else.
        capacity: most tokens behind it.
    """

    def __init__(self, model: CausalLanguageModel, prefix: Sequence[int], capacity: int) -> None:
        decoder = nnx.merge(model.graph, model.params)
        config = decoder.config
        padded = np.zeros(32 if prefix else 0, np.int32)
        padded[: len(prefix)] = prefix
        self._model, self._length = model, jnp.int32(len(prefix))
        self._prefix = model.prefill(model.params, jnp.asarray(padded), self._length)
        shape = (config.layers, ROWS, config.kv_heads, -(-capacity // BLOCK) * BLOCK)
        self._empty = [jnp.zeros((*shape, config.head_dim), decoder.dtype) for _ in range(2)]
        self._step = jax.jit(partial(_step, model))

    def write(self, prompt: Sequence[int], count: int, choose: Choose) -> list[int]:
        """`count` tokens behind a prompt."""
        held, said = self._empty, list[int]()
        for at in range(len(prompt) + count - 1):
            token = prompt[at] if at < len(prompt) else said[-1]
            given = (self._prefix, self._length, jnp.int32(token), jnp.int32(at))
            logits, held = self._step(self._model.params, *given, held)
            if at >= len(prompt) - 1:
                said.append(choose(said, logits))
        return said


def _step(
    model: CausalLanguageModel,
    params: Any,
    prefix: Any,
    length: Array,
    token: Array,
    at: Array,
    held: list[Array],
) -> tuple[Array, list[Array]]:
    """Logits after one more token, `[vocabulary]`, and the arrays with its keys and values."""
    decoder = nnx.merge(model.graph, params)
    tokens = jnp.zeros(ROWS, jnp.int32).at[0].set(token)
    turn = angles(decoder.config, jnp.full(ROWS, length + at))
    x = decoder._embed(tokens)
    caches = [None] * decoder.config.layers if prefix is None else [*prefix.body, prefix.last]
    body: Any = decoder.body
    for number, block in enumerate([*body.blocks, decoder.last]):
        query, own = block.attention._heads(block.attention_norm(x), turn)
        held = [y.at[number, :, :, at].set(new) for y, new in zip(held, own, strict=True)]
        shared = _shared(caches[number], length)
        x = _after(block, x, query, [y[number] for y in held], at, shared)
    return decoder.logits(decoder.norm(x))[0], held


def _shared(cache: Cache | None, length: Array) -> Shared | None:
    if cache is None:
        return None
    return Shared(cache, jnp.arange(cache.key.shape[1], dtype=jnp.int32) < length)


def _after(
    block: Block, x: Array, query: Array, held: list[Array], at: Array, shared: Shared | None
) -> Array:
    """The residual stream behind a layer."""
    key, value = held
    asking = query.reshape(ROWS, key.shape[1], -1, 1, query.shape[2])
    part = nothing(asking)
    for begin in range(0, key.shape[2], BLOCK):
        position = begin + jnp.arange(BLOCK, dtype=jnp.int32)
        mask = (position <= at)[None, None, None, None]
        keys, values = (y[:, :, begin : begin + BLOCK] for y in (key, value))
        part = attend_more(part, asking, keys, values, mask)
    flat = Partial(*(y.reshape(ROWS, query.shape[1], -1) for y in part))
    x = x + linear(with_prefix(flat, query, shared), block.attention.out[...])
    return x + block.ffn(block.ffn_norm(x))
