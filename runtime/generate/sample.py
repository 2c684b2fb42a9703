"""From logits to tokens: the likeliest, or one drawn with the row's own random number."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt

from sqlax.runtime.constrain.masks import allowed
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.generate.inputs import Sampling

_CHUNK = 512
"""Tokens whose probabilities are added up at once where one is picked."""


def likeliest(
    logits: Float[Array, "rows vocabulary"],
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
) -> Int[Array, " rows"]:
    """The allowed token with the highest logit, the first of equals; int32.

    The mask is made only where some row's likeliest token of all is not allowed.
    """
    best = _argmax(logits)
    fine = jnp.all(_is_allowed(automaton, state, remaining, best))

    def masked() -> Int[Array, " rows"]:
        mask = allowed(automaton, state, remaining)
        return _argmax(jnp.where(mask, logits, -jnp.inf))

    chosen: Int[Array, " rows"] = jax.lax.cond(fine, lambda: best, masked)
    return chosen


def drawn(
    logits: Float[Array, "rows vocabulary"],
    mask: Bool[Array, "rows vocabulary"],
    sampling: Sampling,
    key: UInt[Array, " rows"],
    number: Int[Array, " rows"],
) -> Int[Array, " rows"]:
    """A token drawn from each row's distribution; int32.

    Args:
        logits: float32.
        mask: tokens that are allowed.
        sampling: temperature and cuts: top-k, then top-p, then min-p.
        key: uint32 of each row; with the seed it makes the row's own random numbers.
        number: how many tokens the row has drawn before.
    """
    cold = sampling.temperature <= 0
    scaled = logits / jnp.where(cold, 1.0, sampling.temperature).astype(jnp.float32)
    scaled = jnp.where(mask, scaled, -jnp.inf)
    kept = _cut(scaled, sampling)
    chance = jnp.where(kept, jnp.exp(scaled - jnp.max(scaled, axis=1, keepdims=True)), 0.0)
    return jnp.where(cold, _argmax(scaled), _pick(chance, _uniform(sampling, key, number)))


def _argmax(logits: Float[Array, "rows vocabulary"]) -> Int[Array, " rows"]:
    return jnp.argmax(logits, axis=1).astype(jnp.int32)


def _is_allowed(
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
    token: Int[Array, " rows"],
) -> Bool[Array, " rows"]:
    """Whether `allowed` holds for one token of each row."""
    following = automaton.next[state, automaton.class_of_token[token]]
    in_time = (following >= 0) & (automaton.closing[following] < remaining)
    return in_time | (automaton.accepting[state] & automaton.ends[token])


def _cut(
    scaled: Float[Array, "rows vocabulary"], sampling: Sampling
) -> Bool[Array, "rows vocabulary"]:
    """The tokens left by top-k, top-p and min-p; the likeliest always is."""
    peak = jnp.max(scaled, axis=1, keepdims=True)
    weight = jnp.exp(scaled - peak)
    one = jnp.ones_like(weight)
    count = jnp.broadcast_to(sampling.top_k.astype(jnp.float32), peak.shape[:1])
    kept = scaled >= _threshold(scaled, one, count)[:, None]
    weight = jnp.where(kept, weight, 0.0)
    wanted = sampling.top_p.astype(jnp.float32) * jnp.sum(weight, axis=1)
    kept &= scaled >= _threshold(scaled, weight, wanted)[:, None]
    likely = weight >= sampling.min_p.astype(jnp.float32)
    return (kept & likely) | (scaled >= peak)


def _threshold(
    scaled: Float[Array, "rows vocabulary"],
    weight: Float[Array, "rows vocabulary"],
    wanted: Float[Array, " rows"],
) -> Float[Array, " rows"]:
    """The greatest logit such that the tokens from it on weigh at least `wanted`.

    Found by halving the range of the logits' bits, which order floats as integers do: 32 sums over
    the vocabulary in place of a sort.
    """
    code = _ordered_bits(scaled)

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends
        middle = low + (high - low) // 2
        enough = jnp.sum(jnp.where(code >= middle[:, None], weight, 0.0), axis=1) >= wanted
        return jnp.where(enough, middle, low), jnp.where(enough, high, middle)

    first = jnp.min(code, axis=1), jnp.max(code, axis=1) + 1
    low, _ = jax.lax.fori_loop(0, 33, halve, first)
    return jnp.min(jnp.where(code >= low[:, None], scaled, jnp.inf), axis=1)


def _ordered_bits(x: Float[Array, "rows vocabulary"]) -> Int[Array, "rows vocabulary"]:
    """int64 in the order of the floats."""
    bits = jax.lax.bitcast_convert_type(x.astype(jnp.float32), jnp.int32)
    return jnp.where(bits < 0, jnp.int32(-(2**31)) - bits, bits).astype(jnp.int64)


def _uniform(
    sampling: Sampling, key: UInt[Array, " rows"], number: Int[Array, " rows"]
) -> Float[Array, " rows"]:
    """A number from 0 to 1 of each row's own; the batch has no part in it."""
    root = jax.random.key(sampling.seed)

    def one(own: UInt[Array, ""], place: Int[Array, ""]) -> Float[Array, ""]:
        row = jax.random.fold_in(jax.random.fold_in(root, own), place)
        return jax.random.uniform(row, dtype=jnp.float32)

    return jax.vmap(one)(key, number)


def _pick(
    chance: Float[Array, "rows vocabulary"], uniform: Float[Array, " rows"]
) -> Int[Array, " rows"]:
    """The token at which the running sum passes the row's number: first the chunk, then in it."""
    rows, vocabulary = chance.shape
    chunks = jnp.pad(chance, ((0, 0), (0, -vocabulary % _CHUNK))).reshape(rows, -1, _CHUNK)
    ends = jnp.cumsum(jnp.sum(chunks, axis=2), axis=1)
    at = uniform * ends[:, -1]
    chunk = jnp.minimum(jnp.sum(ends <= at[:, None], axis=1), ends.shape[1] - 1)
    before = jnp.where(chunk > 0, jnp.take_along_axis(ends, chunk[:, None] - 1, 1)[:, 0], 0.0)
    inside = jnp.take_along_axis(chunks, chunk[:, None, None], 1)[:, 0]
    sums = jnp.cumsum(inside, axis=1)
    beyond = (sums <= (at - before)[:, None]) | (inside <= 0)
    place = jnp.argmin(beyond, axis=1)
    last = _CHUNK - 1 - jnp.argmax(inside[:, ::-1] > 0, axis=1)
    place = jnp.where(jnp.all(beyond, axis=1), last, place)
    return (chunk * _CHUNK + place).astype(jnp.int32)
