"""Names and DuckDB types of a plan node's output columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum, auto


class Kind(StrEnum):
    """How the values of a DuckDB type are held on the device."""

    BOOLEAN = auto()
    INTEGER = auto()
    FLOAT = auto()
    DECIMAL = auto()
    DATE = auto()
    TIMESTAMP = auto()
    STRING = auto()
    LABELS = auto()
    OPAQUE = auto()


_KINDS = {
    "BOOLEAN": Kind.BOOLEAN,
    "DATE": Kind.DATE,
    "TIMESTAMP": Kind.TIMESTAMP,
    "VARCHAR": Kind.STRING,
    "FLOAT": Kind.FLOAT,
    "DOUBLE": Kind.FLOAT,
    "HUGEINT": Kind.INTEGER,
}
_INTEGERS = {"TINYINT": 8, "SMALLINT": 16, "INTEGER": 32, "BIGINT": 64}
_DECIMAL = re.compile(r"DECIMAL\((\d+),\s*(\d+)\)")


@dataclass(frozen=True)
class Field:
    """One output column: its name and its type as DuckDB writes it.

    `labels` marks the VARCHAR[] of a multi-label AI_CLASSIFY, held as a set of label numbers.
    """

    name: str
    type: str
    labels: tuple[str, ...] | None = None

    @property
    def kind(self) -> Kind:
        """How the column is held on the device."""
        return Kind.LABELS if self.labels is not None else kind_of(self.type)


def kind_of(type_name: str) -> Kind:
    """The device kind of a DuckDB type; OPAQUE for what only DuckDB computes with."""
    if type_name in _INTEGERS:
        return Kind.INTEGER
    if _DECIMAL.fullmatch(type_name):
        return Kind.DECIMAL
    return _KINDS.get(type_name, Kind.OPAQUE)


def integer_bits(type_name: str) -> int:
    """Bits of a signed integer type; 64 for every other type, HUGEINT included."""
    return _INTEGERS.get(type_name, 64)


def decimal_scale(type_name: str) -> int:
    """Digits after the point of a DECIMAL type; 0 for every other type."""
    match = _DECIMAL.fullmatch(type_name)
    return int(match.group(2)) if match else 0


def decimal_width(type_name: str) -> int:
    """All digits of a DECIMAL type; 0 for every other type."""
    match = _DECIMAL.fullmatch(type_name)
    return int(match.group(1)) if match else 0


def is_wide(type_name: str) -> bool:
    """Whether values of a numeric type may need more than 64 bits."""
    match = _DECIMAL.fullmatch(type_name)
    return type_name == "HUGEINT" or (match is not None and int(match.group(1)) > 18)


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
