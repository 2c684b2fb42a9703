"""What is made apart is the same, and XLA does not make it again for what reads it."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from sqlax.models.llama.apart import apart

TOKENS = jnp.arange(8, dtype=jnp.int32)


def made() -> dict[str, Array | None]:
    return {"start": jnp.cumsum(TOKENS), "held": TOKENS > 2, "nothing": None}


def test_it_is_what_was_made() -> None:
    found, expected = jax.jit(lambda tokens: apart(made, tokens))(TOKENS), made()
    assert found["nothing"] is None
    for name in ("start", "held"):
        np.testing.assert_array_equal(found[name], expected[name], strict=True)


def test_its_operations_are_in_the_branch_alone() -> None:
    def layers(tokens: Array, x: Array) -> Array:
        place = apart(lambda: jnp.sin(tokens.astype(jnp.float32)), tokens)
        for _ in range(3):
            x = jnp.cos(x @ x) * place
        return x

    compiled = jax.jit(layers).lower(TOKENS, jnp.ones((8, 8))).compile()
    assert str(compiled.as_text()).count(" sine(") == 1
