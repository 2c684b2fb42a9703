"""From logits to tokens: the likeliest, or one drawn with the row's own random number."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int, UInt32

from sqlax.runtime.constrain.masks import allowed, is_allowed
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.generate.inputs import Sampling

_CHUNK = 512
"""Tokens whose logits or probabilities are looked at together where one is picked."""
_FEW = 8
"""Rows masked at once: few of a batch need it, and a whole mask is as large as the logits."""


def likeliest(
    logits: Float[Array, "rows vocabulary"],
    automaton: TokenAutomaton,
    state: Int[Array, " rows"],
    remaining: Int[Array, " rows"],
    early: Bool[Array, " rows"],
) -> Int[Array, " rows"]:
    """The allowed token with the highest logit, the first of equals; int32.

    Only rows whose likeliest token of all is not allowed get a mask, a few at a time.
    """
    count = logits.shape[0]
    best = _argmax(logits)
    wrong = ~is_allowed(automaton, state, remaining, early, best)

    def correct(now: tuple[Array, Array]) -> tuple[Array, Array]:
        best, wrong = now
        row = jnp.argsort(~wrong, stable=True)[:_FEW]
        mask = allowed(automaton, state[row], remaining[row], early[row])
        token = _argmax(jnp.where(mask, logits[row], -jnp.inf))
        target = jnp.where(wrong[row], row, count)
        return best.at[target].set(token, mode="drop"), wrong.at[row].set(False)

    done = jax.lax.while_loop(lambda now: jnp.any(now[1]), correct, (best, wrong))
    return done[0]


def drawn(
    logits: Float[Array, "rows vocabulary"],
    mask: Bool[Array, "rows vocabulary"],
    sampling: Sampling,
    key: UInt32[Array, " rows"],
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
    """The first of the highest: its chunk by the chunks' peaks, then in it.

    XLA on a CPU takes ten times as long for an argmax as for a maximum.
    """
    chunks = _chunked(logits, -jnp.inf)
    chunk = jnp.argmax(jnp.max(chunks, axis=2), axis=1)
    inside = jnp.take_along_axis(chunks, chunk[:, None, None], 1)[:, 0]
    return (chunk * _CHUNK + jnp.argmax(inside, axis=1)).astype(jnp.int32)


def _chunked(x: Float[Array, "rows vocabulary"], fill: float) -> Float[Array, "rows chunks chunk"]:
    padding = -x.shape[1] % _CHUNK
    return jnp.pad(x, ((0, 0), (0, padding)), constant_values=fill).reshape(x.shape[0], -1, _CHUNK)


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
    # A sum of all that rounds to the same without the least likely ones must not cut them.
    kept &= (scaled >= _threshold(scaled, weight, wanted)[:, None]) | (sampling.top_p >= 1)
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
    sampling: Sampling, key: UInt32[Array, " rows"], number: Int[Array, " rows"]
) -> Float[Array, " rows"]:
    """A number from 0 to 1 of each row's own; the batch has no part in it."""
    root = jax.random.key(sampling.seed)

    def one(own: UInt32[Array, ""], place: Int[Array, ""]) -> Float[Array, ""]:
        row = jax.random.fold_in(jax.random.fold_in(root, own), place)
        return jax.random.uniform(row, dtype=jnp.float32)

    return jax.vmap(one)(key, number)


def _pick(
    chance: Float[Array, "rows vocabulary"], uniform: Float[Array, " rows"]
) -> Int[Array, " rows"]:
    """The token at which the running sum passes the row's number: first the chunk, then in it."""
    chunks = _chunked(chance, 0.0)
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
