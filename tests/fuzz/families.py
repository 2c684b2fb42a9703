"""Families of SQL types that a random expression can have, and their literals.

A family stands for the types that an operator treats alike: `int` for all integer widths,
`decimal` for all widths and scales.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from tests.fuzz.draw import Draw

Family: TypeAlias = Literal["int", "double", "decimal", "text", "date", "bool"]
FAMILIES: tuple[Family, ...] = get_args(Family)

TYPES: dict[str, Family] = {
    "INTEGER": "int",
    "BIGINT": "int",
    "DOUBLE": "double",
    "DECIMAL(9,2)": "decimal",
    "DECIMAL(4,1)": "decimal",
    "DECIMAL(18,4)": "decimal",
    "VARCHAR": "text",
    "DATE": "date",
    "BOOLEAN": "bool",
}
"""The types that a table's column may have."""

USUAL: dict[Family, tuple[str, ...]] = {
    "int": ("0", "1", "2", "3", "-1", "5", "7", "10"),
    "double": ("0.0", "0.5", "1.5", "-2.25", "4.0", "100.75"),
    "decimal": ("0.00", "0.50", "1.25", "-1.25", "7.5", "99.9"),
    "text": ("'a'", "'b'", "'ab'", "'B'", "'é'", "''", "'a b'", "'12'", "'a%_'"),
    "date": (
        *("DATE '2024-02-29'", "DATE '2024-01-31'", "DATE '2023-12-31'"),
        *("DATE '2000-01-01'", "DATE '1969-12-31'"),
    ),
    "bool": ("TRUE", "FALSE"),
}
UNUSUAL: dict[str, tuple[str, ...]] = {
    "INTEGER": ("2147483647", "-2147483648"),
    "BIGINT": ("9223372036854775807", "-9223372036854775808", "4294967296"),
    "DOUBLE": ("'nan'::DOUBLE", "'inf'::DOUBLE", "'-inf'::DOUBLE", "-0.0::DOUBLE"),
    "DECIMAL(9,2)": ("9999999.99", "-9999999.99"),
    "DECIMAL(4,1)": ("999.9", "-999.9"),
    "DECIMAL(18,4)": ("99999999999999.9999", "-99999999999999.9999"),
    "VARCHAR": ("'日本'", "'it''s'", "' a '", "'ß'"),
    "DATE": ("DATE '0044-03-15'", "DATE '9999-12-31'"),
    "BOOLEAN": ("TRUE",),
}
"""Values that stand in a table seldom."""

JUDGED = ("'good 1'", "'good 2'", "'bad 1'", "'bad'", "'odd 1'", "''")
"""What the fake model judges: a text with `good` is a yes, one with `odd` has no answer."""

_CASTS: dict[Family, str] = {"double": "::DOUBLE", "decimal": "::DECIMAL(9,2)"}


def literal(draw: Draw, family: Family) -> str:
    """A constant of the family; seldom NULL."""
    if draw.chance(0.04):
        kinds = [kind for kind, of in TYPES.items() if of == family]
        return f"CAST(NULL AS {draw.pick(kinds)})"
    text = draw.pick(USUAL[family])
    return f"({text}{_CASTS.get(family, '')})" if text.startswith("-") or family in _CASTS else text
