"""Lists that a program makes: each a range of one array of values."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Int

from sqlax.runtime.relation import Column


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Lists:
    """List `n` holds the values at `start[n]` to `start[n] + length[n]`.

    A column of lists is a column of their numbers: what carries it moves no values.

    Attributes:
        values: the values of all lists, one list behind the other.
        start: int32; where each list begins.
        length: int32; how many values it has.
    """

    values: Column
    start: Int[Array, " lists"]
    length: Int[Array, " lists"]
