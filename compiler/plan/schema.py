"""Names and DuckDB types of a plan node's output columns."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum, auto


class Kind(StrEnum):
    """How the values of a DuckDB type are held on the device."""

    BOOLEAN = auto()
    INTEGER = auto()
    FLOAT = auto()
    DECIMAL = auto()
    DATE = auto()
    TIMESTAMP = auto()
    INSTANT = auto()
    TIME = auto()
    STRING = auto()
    ENUM = auto()
    LABELS = auto()
    MADE = auto()
    WRITTEN = auto()
    OPAQUE = auto()


_KINDS = {
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "TIMESTAMP WITH TIME ZONE": Kind.INSTANT,
    "TIME": Kind.TIME,
    "VARCHAR": Kind.STRING,
    "FLOAT": Kind.FLOAT,
    "DOUBLE": Kind.FLOAT,
}
_SIGNED = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64, "HUGEINT": 128}
_UNSIGNED = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64, "UHUGEINT": 128}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")
_ENUM = re.compile(r"ENUM\((.*)\)", re.DOTALL)
_ENUM_VALUE = re.compile(r"'((?:[^']|'')*)'")

CARRIED = (Kind.MADE, Kind.WRITTEN)
"""Values that the graph only carries: what it holds of them is a number."""
WRITTEN = "written"
"""`Field.made` of texts that a model writes in the program."""

UNTYPED = ('"NULL"', "NULL")
"""What DuckDB calls the type of a bare NULL."""


@dataclass(frozen=True)
class Field:
    """One output column: its name and its type as DuckDB writes it.

    `labels` marks the VARCHAR[] of a multi-label AI_CLASSIFY, held as a set of label numbers.
    `made` marks values that the program makes and no dictionary holds: the column has numbers of
    lists in arrays of that name, which leave the program beside its rows; of `WRITTEN`, ids of
    texts that a model writes.
    """

    name: str
    type: str
    labels: tuple[str, ...] | None = None
    made: str | None = None

    @property
    def kind(self) -> Kind:
        """How the column is held on the device."""
        if self.made is not None:
            return Kind.WRITTEN if self.made == WRITTEN else Kind.MADE
        return Kind.LABELS if self.labels is not None else kind_of(self.type)

    @property
    def described(self) -> str:
        """The type as a reason for a stage names it."""
        if self.made is None:
            return self.type
        return f"{self.type} made by {'a model' if self.made == WRITTEN else 'an aggregate'}"

    def named(self, name: str) -> Field:
        """The same column under another name."""
        return replace(self, name=name)

    def held_as(self, other: Field) -> Field:
        """The column, held as another one that it repeats."""
        return replace(self, labels=other.labels, made=other.made)


def kind_of(type_name: str) -> Kind:
    """The device kind of a DuckDB type; OPAQUE for what only DuckDB computes with."""
    if type_name in _SIGNED or type_name in _UNSIGNED:
        return Kind.INTEGER
    if _DECIMAL.fullmatch(type_name):
        return Kind.DECIMAL
    if _ENUM.fullmatch(type_name):
        return Kind.ENUM
    return _KINDS.get(type_name, Kind.OPAQUE)


def integer_bits(type_name: str) -> int:
    """Bits of a signed integer type, at most 64; 64 for every other type."""
    return min(64, _SIGNED.get(type_name, 64))


def integer_range(type_name: str) -> tuple[int, int]:
    """The least and the greatest value of an integer type that the device can hold, in int64."""
    least, most = -(1 << 63), (1 << 63) - 1
    if type_name in _UNSIGNED:
        return 0, min(most, (1 << _UNSIGNED[type_name]) - 1)
    bits = _SIGNED.get(type_name, 64)
    return max(least, -(1 << bits - 1)), min(most, (1 << bits - 1) - 1)


def value_range(type_name: str) -> tuple[int, int]:
    """The least and the greatest number that an integer or DECIMAL type holds, in scaled int64."""
    width = decimal_width(type_name)
    if not width:
        return integer_range(type_name)
    most = min(10**width - 1, (1 << 63) - 1)
    return -most, most


def enum_values(type_name: str) -> tuple[str, ...]:
    """The values of an ENUM type in its order; none for every other type."""
    match = _ENUM.fullmatch(type_name)
    if match is None:
        return ()
    return tuple(value.replace("''", "'") for value in _ENUM_VALUE.findall(match.group(1)))


def decimal_scale(type_name: str) -> int:
    """Digits after the point of a DECIMAL type; 0 for every other type."""
    match = _DECIMAL.fullmatch(type_name)
    return int(match.group(2)) if match else 0


def decimal_width(type_name: str) -> int:
    """All digits of a DECIMAL type; 0 for every other type."""
    match = _DECIMAL.fullmatch(type_name)
    return int(match.group(1)) if match else 0


def is_wide(type_name: str) -> bool:
    """Whether values of a numeric type may need more than 64 bits on the device."""
    wide = ("HUGEINT", "UHUGEINT", "UBIGINT")
    return type_name in wide or decimal_width(type_name) > 18


@dataclass(frozen=True)
class Schema:
    """The ordered output columns of a node, with distinct names."""

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        names = [field.name for field in self.fields]
        assert len(set(names)) == len(names), f"duplicate columns: {names}"

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(field.name for field in self.fields)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def __add__(self, other: Schema) -> Schema:
        return Schema(self.fields + other.fields)

    def select(self, names: tuple[str, ...]) -> Schema:
        """The schema with only the named columns, in that order."""
        return Schema(tuple(self[name] for name in names))
