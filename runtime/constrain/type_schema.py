"""SQL types as JSON schemas, and as the texts that DuckDB casts to them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlax.errors import UnsupportedError
from sqlax.runtime.constrain.expression import Expression, choice
from sqlax.runtime.constrain.json_schema import json_expression
from sqlax.runtime.constrain.json_string import FORMATS
from sqlax.runtime.constrain.numbers import DOUBLE, FLOAT, decimal_between, integer_between
from sqlax.runtime.constrain.sql_type import Labels, ListOf, Scalar, SqlType, Struct
from sqlax.runtime.constrain.text import text

_SIGNED = {"tinyint": 8, "smallint": 16, "integer": 32, "bigint": 64, "hugeint": 128}
_UNSIGNED = {f"u{name}": bits for name, bits in _SIGNED.items()}
_DIGITS_OF_FLOATS = 15
"""Decimal digits that a number of a JSON schema certainly keeps in Python."""


def text_of_type(sql_type: SqlType) -> Expression:
    """The texts of a type's values: numbers, dates and labels bare, lists and structs as JSON.

    Raises:
        UnsupportedError: a type whose values are not generated, such as MAP or INTERVAL.
    """
    match sql_type:
        case Labels(labels):
            return choice(*labels)
        case Scalar(name, arguments):
            return _scalar_text(name, arguments)
    return json_expression(schema_of_type(sql_type))


def schema_of_type(sql_type: SqlType, *, nullable: bool = False) -> dict[str, Any]:
    """The JSON schema of a type's values: fields in order, all of them there.

    Args:
        sql_type: the type.
        nullable: let every scalar be null.

    Raises:
        UnsupportedError: a type whose values are not generated, such as MAP or INTERVAL.
    """
    match sql_type:
        case Struct(fields):
            properties = {name: schema_of_type(t, nullable=nullable) for name, t in fields}
            names = list(properties)
            closed = {"required": names, "additionalProperties": False}
            return {"type": "object", "properties": properties, **closed}
        case ListOf(item, size):
            sizes = {} if size is None else {"minItems": size, "maxItems": size}
            return {"type": "array", "items": schema_of_type(item, nullable=nullable), **sizes}
        case Labels(labels):
            schema: dict[str, Any] = {"enum": list(labels)}
        case Scalar(name, arguments):
            schema = _scalar_schema(name, arguments)
    return {"anyOf": [schema, {"type": "null"}]} if nullable else schema


def _scalar_text(name: str, arguments: tuple[int, ...]) -> Expression:
    if name in _SIGNED or name in _UNSIGNED:
        return integer_between(*_range(name))
    if name in FORMATS:
        return FORMATS[name]()
    match name:
        case "varchar":
            return text(0, arguments[0] if arguments else None)
        case "decimal":
            most, scale = _decimal(arguments)
            return decimal_between(-most, most, scale)
        case "double":
            return DOUBLE
        case "float":
            return FLOAT
        case "boolean":
            return choice("true", "false")
    raise _unsupported(name)


def _scalar_schema(name: str, arguments: tuple[int, ...]) -> dict[str, Any]:
    if name in _SIGNED or name in _UNSIGNED:
        low, high = _range(name)
        return {"type": "integer", "minimum": low, "maximum": high}
    if name in FORMATS:
        return {"type": "string", "format": name}
    match name:
        case "varchar":
            return {"type": "string", **dict(zip(["maxLength"], arguments, strict=False))}
        case "decimal":
            return _decimal_schema(arguments)
        case "double" | "float":
            return {"type": "number"}
        case "boolean":
            return {"type": "boolean"}
    raise _unsupported(name)


def _range(name: str) -> tuple[int, int]:
    if name in _UNSIGNED:
        return 0, 2 ** _UNSIGNED[name] - 1
    half = 2 ** (_SIGNED[name] - 1)
    return -half, half - 1


def _decimal(arguments: tuple[int, ...]) -> tuple[Decimal, int]:
    """The largest value of DECIMAL and its digits behind the point; (18, 3) if not given."""
    digits, scale = (*arguments, 0)[:2] if arguments else (18, 3)
    return Decimal(10**digits - 1).scaleb(-scale), scale


def _decimal_schema(arguments: tuple[int, ...]) -> dict[str, Any]:
    most, scale = _decimal(arguments)
    if not scale:
        return {"type": "integer", "minimum": -int(most), "maximum": int(most)}
    if len(most.as_tuple().digits) > _DIGITS_OF_FLOATS:
        raise UnsupportedError(
            f"a DECIMAL of more than {_DIGITS_OF_FLOATS} digits with a fraction cannot be "
            "generated inside a STRUCT or list"
        )
    bounds = {"minimum": -float(most), "maximum": float(most)}
    return {"type": "number", **bounds, "multipleOf": float(Decimal(1).scaleb(-scale))}


def _unsupported(name: str) -> UnsupportedError:
    return UnsupportedError(f"values of type {name.upper()} cannot be generated")
