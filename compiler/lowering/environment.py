"""What expressions read beside the rows: constants, parameters, maps; and what they report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from sqlax.compiler.lowering.maps import ValueMap
from sqlax.compiler.lowering.written import NoTexts, WrittenTexts
from sqlax.compiler.plan.schema import CARRIED, Kind, kind_of
from sqlax.runtime.lists import Lists
from sqlax.runtime.mapping import MapTable
from sqlax.runtime.relation import Column


class NotLowerableError(Exception):
    """The graph has no operation for an expression; the text names it. Never reaches a user."""


@dataclass(frozen=True)
class Typed:
    """Values with the DuckDB type they stand for."""

    column: Column
    type: str

    @property
    def kind(self) -> Kind:
        """How the values are held on the device."""
        return kind_of(self.type)


def dtype_of_kind(kind: Kind) -> np.dtype[np.generic]:
    """The dtype in which values of a kind are held on the device."""
    dtypes = {Kind.BOOLEAN: np.bool_, Kind.FLOAT: np.float64}
    numbered = (Kind.STRING, Kind.ENUM, Kind.OPAQUE, *CARRIED)
    dtypes |= dict.fromkeys(numbered, np.int32)
    return np.dtype(dtypes.get(kind, np.int64))


def blank_table(wanted: ValueMap) -> MapTable:
    """A table of the right dtype for a map whose values are not known yet."""
    data = jnp.zeros(1, dtype_of_kind(kind_of(wanted.type)))
    return MapTable(Column(data, jnp.ones(1, bool)), jnp.zeros(1, bool))


@dataclass
class Environment:
    """The surroundings of one expression while it is lowered.

    Attributes:
        code: the dictionary code of a string constant, int32 scalar.
        parameters: run-time parameters as columns of one row, with their types.
        overflow: conditions under which DuckDB would report an overflow or a division by zero.
        table: the values of a map; blank ones where only the shapes matter.
        written: the texts that models write in the program.
        lists: what the columns that the program makes are numbers of, by `Field.made`.
    """

    code: Callable[[str], Int[Array, ""]]
    parameters: Mapping[str, Typed] = field(default_factory=dict)
    overflow: list[Bool[Array, ""]] = field(default_factory=list)
    table: Callable[[ValueMap], MapTable] = blank_table
    written: WrittenTexts = field(default_factory=NoTexts)
    lists: dict[str, Lists] = field(default_factory=dict)

    def report(self, condition: Bool[Array, " rows"], mask: Bool[Array, " rows"]) -> None:
        """Remember that a row which exists left the range of its type."""
        self.overflow.append(jnp.any(condition & mask))
