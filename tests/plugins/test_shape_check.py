"""A wrong shape fails a test; without the check it would run on."""

from __future__ import annotations

import jax.numpy as jnp
import pytest
from jaxtyping import Array, Float, TypeCheckError, jaxtyped

from tests.plugins.shape_check import check


@jaxtyped(typechecker=check)
def total(values: Float[Array, " rows"], weights: Float[Array, " rows"], name: int) -> object:
    return (values * weights).sum()


def test_equal_names_are_equal_sizes() -> None:
    total(jnp.ones(3), jnp.ones(3), 1)
    with pytest.raises(TypeCheckError, match="weights"):
        total(jnp.ones(3), jnp.ones(1), 1)


def test_ordinary_types_are_left_to_mypy() -> None:
    assert total(jnp.ones(3), jnp.ones(3), "a name") == 3  # type: ignore[arg-type]
