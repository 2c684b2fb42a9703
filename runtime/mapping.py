"""A function as a table: the host has computed it for every value that its argument can have."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool

from sqlax.runtime.relation import Column


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class MapTable:
    """The function's value for each argument.

    Attributes:
        values: entry 0 is the value of NULL, entry `n + 1` that of the argument held as `n`.
        failed: where there is no value, because DuckDB raised an error or 64 bits do not hold it.
    """

    values: Column
    failed: Bool[Array, " entries"]

    def apply(self, argument: Column) -> tuple[Column, Bool[Array, " rows"]]:
        """The function of each row's argument, and where it failed. Cost: three gathers."""
        entry = jnp.where(argument.valid, argument.data.astype(jnp.int32) + 1, 0)
        return self.values.take(entry), self.failed[entry]
