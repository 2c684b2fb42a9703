"""Attention in parts: several sets of keys, one softmax over all of them."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from sqlax.models.linear import contract

MASKED = -1e30
"""The score of a key that must not be seen; finite, so that no mask can make a NaN."""
FAR = 60.0
"""A part whose peak is that far above the other's has all the weight, as far as float32 tells."""


class Partial(NamedTuple):
    """Attention over some of the keys, before division by the softmax's sum; all float32.

    Attributes:
        value: sum of the values, each weighted by exp(score - peak). The last channel is the sum
            of the weights alone: values have a one there, which saves passes over the weights.
        peak: the largest score.
    """

    value: Float[Array, "*queries dim_and_1"]
    peak: Float[Array, "*queries 1"]


def with_one(value: Float[Array, "*tokens dim"]) -> Float[Array, "*tokens dim_and_1"]:
    """Values with the channel that counts the weights."""
    return jnp.concatenate([value, jnp.ones((*value.shape[:-1], 1), value.dtype)], axis=-1)


def attend(
    query: Float[Array, "rows kv group queries dim"],
    key: Float[Array, "rows kv keys dim"],
    value: Float[Array, "rows kv keys dim_and_1"],
    mask: Bool[Array, "#rows 1 1 #queries keys"],
) -> Partial:
    """Attention of each row's queries to the same row's keys where `mask` is true."""
    rows, kv, group, queries, dim = query.shape
    flat = query.reshape(rows, kv, group * queries, dim)
    scores = contract(flat, key, ((3,), (3,)), ((0, 1), (0, 1)))
    scores = scores.reshape(rows, kv, group, queries, -1) * jnp.float32(dim**-0.5)
    scores = jnp.where(mask, scores, jnp.float32(MASKED))
    peak = scores.max(-1, keepdims=True)
    weights = jnp.exp(scores - peak).reshape(rows, kv, group * queries, -1)
    summed = contract(weights, value, ((3,), (2,)), ((0, 1), (0, 1)))
    return Partial(summed.reshape(*query.shape[:4], -1), peak)


def join(a: Partial, b: Partial) -> Partial:
    """Attention over the keys of both."""
    peak = jnp.maximum(a.peak, b.peak)
    return Partial(a.value * jnp.exp(a.peak - peak) + b.value * jnp.exp(b.peak - peak), peak)


def finish(own: Partial, prefix: Partial | None) -> Float[Array, "*queries dim"]:
    """The attention's result, once every key is in one of the two."""
    value = own.value
    if prefix is not None:
        weight = jnp.exp(jnp.minimum(prefix.peak - own.peak, jnp.float32(FAR)))
        value = value + prefix.value * weight
    return value[..., :-1] / value[..., -1:]
