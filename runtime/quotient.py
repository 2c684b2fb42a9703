"""Division of floats as IEEE 754 has it."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float


def quotient(
    dividend: Float[Array, " rows"], divisor: Float[Array, " rows"] | float
) -> Float[Array, " rows"]:
    """Each row's quotient, rounded once.

    XLA turns a division by one number for all rows into a product with its reciprocal, which
    is often off by one bit: 10010 / 100 would be 100.10000000000001; and (a / b) / c into
    a / (b * c). Selections that change nothing keep it from seeing either, and unlike barriers
    leave the division in one kernel with what is around it.
    """
    one_for_all = jnp.asarray(divisor, dividend.dtype)
    divided = dividend / jnp.where(jnp.isnan(dividend), jnp.nan, one_for_all)
    return jnp.where(jnp.isnan(divided), jnp.nan, divided)
