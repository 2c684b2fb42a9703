"""Values computed once where XLA would compute them anew for everything that reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

Made = TypeVar("Made")


def apart(make: Callable[[], Made], tokens: Int[Array, " tokens"]) -> Made:
    """What `make` gives, in memory before the layers run.

    XLA on a CPU fuses an index into each gather that it feeds, with all it is made of, and so
    counts rows anew for every element of every layer. It fuses nothing across a branch; an
    `optimization_barrier` is gone before it fuses.

    Args:
        make: takes nothing and gives arrays.
        tokens: token ids, none of them negative, so that the branch is always taken.
    """
    shapes = jax.eval_shape(make)

    def nothing() -> Made:
        empty: Made = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
        return empty

    made: Made = jax.lax.cond(jnp.any(tokens >= 0), make, nothing)
    return made
