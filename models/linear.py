"""Matrix products in the weights' dtype with float32 results."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


@jax.named_scope("projection")
def linear(
    x: Float[Array, "*batch in"], weight: Float[Array, "in out"]
) -> Float[Array, "*batch out"]:
    """`x @ weight`: inputs rounded to the weight's dtype, sums and result float32."""
    return contract(x, weight, ((x.ndim - 1,), (0,)))


def contract(
    x: Array,
    y: Array,
    axes: tuple[tuple[int, ...], tuple[int, ...]],
    batch: tuple[tuple[int, ...], tuple[int, ...]] = ((), ()),
) -> Array:
    """A dot product over `axes`: `x` rounded to `y`'s dtype, sums and result float32."""
    return jax.lax.dot_general(
        x.astype(y.dtype),
        y,
        (axes, batch),
        precision=jax.lax.Precision.HIGHEST if y.dtype == jnp.float32 else None,
        preferred_element_type=jnp.float32,
    )
