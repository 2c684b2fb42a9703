"""The fake model's table: which rule a text falls under."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int


def first_rule(
    pattern: Int[Array, "rules length"], tokens: Int[Array, "rows width"]
) -> Int[Array, " rows"]:
    """The first pattern that occurs in each row; the number of rules where none does.

    A pattern is padded with -1; a row has -1 wherever it has no token.
    """
    length = pattern.shape[1]
    padded = jnp.pad(tokens, ((0, 0), (0, length)), constant_values=-3)
    found = jnp.ones((tokens.shape[0], pattern.shape[0], tokens.shape[1]), bool)
    for place in range(length):
        window = padded[:, None, place : place + tokens.shape[1]]
        wanted = pattern[None, :, place, None]
        found &= (window == wanted) | (wanted == -1)
    hit: Bool[Array, "rows rules"] = jnp.any(found, axis=2)
    return jnp.where(jnp.any(hit, axis=1), jnp.argmax(hit, axis=1), pattern.shape[0])
