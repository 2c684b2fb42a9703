"""Rotary positions: each pair of a head's channels turns at its own speed."""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Float, Int

from sqlax.models.llama.config import LlamaConfig, RopeScaling

Angles = tuple[Float[Array, "*batch half"], Float[Array, "*batch half"]]
"""Cosine and sine of each position's rotation, float32."""


def angles(config: LlamaConfig, position: Int[Array, " tokens"]) -> Angles:
    """Cosine and sine of every rotation at `position`, one row a token."""
    angle = position.astype(jnp.float32)[:, None] * jnp.asarray(frequencies(config))
    return jnp.cos(angle), jnp.sin(angle)


def rotate(x: Float[Array, "tokens heads dim"], at: Angles) -> Float[Array, "tokens heads dim"]:
    """Turn each head by its token's angles; channel i is paired with channel i + dim / 2."""
    cosine, sine = (a[:, None, :] for a in at)
    first, second = jnp.split(x, 2, axis=-1)
    return jnp.concatenate(
        [first * cosine - second * sine, first * sine + second * cosine], axis=-1
    )


def frequencies(config: LlamaConfig) -> npt.NDArray[np.float32]:
    """Radians per position of each pair of channels."""
    exponent = np.arange(0, config.head_dim, 2, dtype=np.float64) / config.head_dim
    plain = config.rope_theta**-exponent
    if config.rope_scaling is not None:
        plain = _stretch(plain, config.rope_scaling)
    return plain.astype(np.float32)


def _stretch(plain: npt.NDArray[np.float64], scaling: RopeScaling) -> npt.NDArray[np.float64]:
    turns = scaling.original_context * plain / (2 * math.pi)
    span = scaling.high_frequency - scaling.low_frequency
    kept = np.clip((turns - scaling.low_frequency) / span, 0.0, 1.0)
    return kept * plain + (1.0 - kept) * plain / scaling.factor
