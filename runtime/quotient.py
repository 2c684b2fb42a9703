"""Division of floats as IEEE 754 has it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float


def quotient(
    dividend: Float[Array, " rows"], divisor: Float[Array, " rows"] | float
) -> Float[Array, " rows"]:
    """Each row's quotient, rounded once.

    XLA turns a division by one number for all rows into a product with its reciprocal, which
    is often off by one bit: 10010 / 100 would be 100.10000000000001. Behind the barrier it cannot
    see that the rows' divisors are one number. The second barrier keeps it from making
    (a / b) / c into a / (b * c).
    """
    divisors = jnp.broadcast_to(jnp.asarray(divisor, dividend.dtype), dividend.shape)
    divided = dividend / jax.lax.optimization_barrier(divisors)
    return jax.lax.optimization_barrier(divided)
