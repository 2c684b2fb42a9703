r"""The columns a user sees, made of the columns a plan yields.

A plan numbers a name that stands twice (`name\0 1`) and holds a STRUCT as one column for each of
its fields (`name\1 field`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from sqlax.compiler.plan.schema import Field, Schema


@dataclass(frozen=True)
class Output:
    """One result column.

    Attributes:
        name: as the user sees it.
        type: its DuckDB type.
        sql: its value over the plan's columns, which are named c0, c1, ...
    """

    name: str
    type: str
    sql: str

    def is_column(self, place: int) -> bool:
        """Whether it is the plan's column of that number and nothing else."""
        return self.sql == _cast(place, self.type)


def outputs_of(schema: Schema) -> tuple[Output, ...]:
    """The result columns of a plan with this schema."""
    numbered = list(enumerate(schema.fields))
    groups = groupby(numbered, key=lambda pair: _whole_name(pair[1].name))
    return tuple(_output([*members]) for _, members in groups)


def _whole_name(name: str) -> str:
    """What the fields of one STRUCT share; the name itself for any other column."""
    stem, mark, _ = name.partition("\1")
    return stem + mark


def _output(members: list[tuple[int, Field]]) -> Output:
    place, field = members[0]
    name = field.name.split("\0")[0].split("\1")[0]
    if "\1" not in field.name:
        return Output(name, field.type, _cast(place, field.type))
    parts = [(f.name.split("\1")[1].split("\0")[0], f.type, i) for i, f in members]
    packed = ", ".join(f'"{key}" := {_cast(i, kind)}' for key, kind, i in parts)
    types = ", ".join(f'"{key}" {kind}' for key, kind, _ in parts)
    return Output(name, f"STRUCT({types})", f"STRUCT_PACK({packed})")


def _cast(place: int, kind: str) -> str:
    return f"CAST(c{place} AS {kind})"
