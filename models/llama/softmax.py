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
        value: sum of the values, each weighted by exp(score - peak).
        total: sum of the weights.
        peak: the largest score.
    """

    value: Float[Array, "*queries dim"]
    total: Float[Array, "*queries 1"]
    peak: Float[Array, "*queries 1"]


def attend(
    query: Float[Array, "rows kv group queries dim"],
    key: Float[Array, "rows kv keys dim"],
    value: Float[Array, "rows kv keys dim_and_1"],
    mask: Bool[Array, "#rows 1 1 #queries keys"],
) -> Partial:
    """Attention of each row's queries to the same row's keys where `mask` is true.

    `value` is what `with_one` gives: the product sums the weights too, which needs no pass over
    them and no operation more.
    """
    scores = _scores(query, key, mask)
    peak = scores.max(-1, keepdims=True)
    summed = _summed(jnp.exp(scores - peak), value)
    return Partial(summed[..., :-1], summed[..., -1:], peak)


def with_one(value: Float[Array, "*tokens dim"]) -> Float[Array, "*tokens dim_and_1"]:
    """Values with a channel that counts the weights."""
    return jnp.concatenate([value, jnp.ones((*value.shape[:-1], 1), value.dtype)], axis=-1)


def nothing(query: Float[Array, "*queries dim"]) -> Partial:
    """Attention to no key yet: `attend_more` multiplies this value with zero.

    It is the query, since XLA makes zeros once for all layers and then copies them for each.
    """
    zero = jnp.zeros((*query.shape[:-1], 1), jnp.float32)
    return Partial(query.astype(jnp.float32), zero, zero + jnp.float32(MASKED))


def attend_more(
    so_far: Partial,
    query: Float[Array, "rows kv group queries dim"],
    key: Float[Array, "rows kv keys dim"],
    value: Float[Array, "rows kv keys dim"],
    mask: Bool[Array, "#rows 1 1 #queries keys"],
) -> Partial:
    """Attention to these keys too; keys that are all masked change no bit, once one was not."""
    scores = _scores(query, key, mask)
    peak = jnp.maximum(so_far.peak, scores.max(-1, keepdims=True))
    fade, weights = jnp.exp(so_far.peak - peak), jnp.exp(scores - peak)
    total = so_far.total * fade + weights.sum(-1, keepdims=True)
    return Partial(so_far.value * fade + _summed(weights, value), total, peak)


def _scores(
    query: Float[Array, "rows kv group queries dim"],
    key: Float[Array, "rows kv keys dim"],
    mask: Bool[Array, "#rows 1 1 #queries keys"],
) -> Float[Array, "rows kv group queries keys"]:
    rows, kv, group, queries, dim = query.shape
    flat = query.reshape(rows, kv, group * queries, dim)
    scores = contract(flat, key, ((3,), (3,)), ((0, 1), (0, 1)))
    scores = scores.reshape(rows, kv, group, queries, -1) * jnp.float32(dim**-0.5)
    return jnp.where(mask, scores, jnp.float32(MASKED))


def _summed(
    weights: Float[Array, "rows kv group queries keys"], value: Float[Array, "rows kv keys dim"]
) -> Float[Array, "rows kv group queries dim"]:
    rows, kv, group, queries, keys = weights.shape
    flat = weights.reshape(rows, kv, group * queries, keys)
    summed = contract(flat, value, ((3,), (2,)), ((0, 1), (0, 1)))
    return summed.reshape(rows, kv, group, queries, -1)


def join(a: Partial, b: Partial) -> Partial:
    """Attention over the keys of both."""
    peak = jnp.maximum(a.peak, b.peak)
    one, other = jnp.exp(a.peak - peak), jnp.exp(b.peak - peak)
    return Partial(a.value * one + b.value * other, a.total * one + b.total * other, peak)


def finish(own: Partial, prefix: Partial | None) -> Float[Array, "*queries dim"]:
    """The attention's result, once every key is in one of the two."""
    value, total = own.value, own.total
    if prefix is not None:
        weight = jnp.exp(jnp.minimum(prefix.peak - own.peak, jnp.float32(FAR)))
        value, total = value + prefix.value * weight, total + prefix.total * weight
    return value / total
