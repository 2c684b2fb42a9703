"""What expressions read beside the rows: constants, parameters, types; and what they report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.relation import Column


class NotLowerableError(Exception):
    """The graph has no operation for an expression; the text names it. Never reaches a user."""


@dataclass(frozen=True)
class Typed:
    """Values with the DuckDB type they stand for."""

    column: Column
    type: str


@dataclass
class Environment:
    """The surroundings of one expression while it is lowered.

    Attributes:
        code: the dictionary code of a string constant, int32 scalar.
        parameters: run-time parameters as columns of one row, with their types.
        overflow: conditions under which DuckDB would report an overflow or a division by zero.
        token_count: number of tokens of a text column's values, per row.
    """

    code: Callable[[str], Int[Array, ""]]
    parameters: Mapping[str, Typed] = field(default_factory=dict)
    overflow: list[Bool[Array, ""]] = field(default_factory=list)

    def report(self, condition: Bool[Array, " rows"], mask: Bool[Array, " rows"]) -> None:
        """Remember that a row which exists left the range of its type."""
        self.overflow.append(jnp.any(condition & mask))
