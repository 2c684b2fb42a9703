"""Reads the constants among a call's arguments, and says what is wrong with those that are not."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.prompt import Literal, literal_text, quoting_hint, read_parts, unwrap

if TYPE_CHECKING:
    from sqlax.compiler.sql.place import Place

Number = int | float

_LISTS: Final = (exp.Array, exp.Tuple)


def read_text(node: exp.Expr, place: Place, what: str) -> str:
    """The text of a constant; `what` names it in the error.

    Raises:
        BindError: it is not a constant text.
    """
    if not _is_text(unwrap(node)):
        raise wrong_kind(node, place, what, "a text")
    return "".join(part.text for part in read_parts(node, place) if isinstance(part, Literal))


def read_number(node: exp.Expr, place: Place, what: str) -> Number:
    """The value of a constant number, an int where it is written without a point.

    Raises:
        BindError: it is not a constant number.
    """
    inner = unwrap(node)
    negative = isinstance(inner, exp.Neg)
    digits = unwrap(inner.this) if negative else inner
    if isinstance(digits, exp.Literal) and not digits.is_string:
        value = _number(digits.name)
        if value is not None:
            return -value if negative else value
    raise wrong_kind(node, place, what, "a number")


def read_integer(node: exp.Expr, place: Place, what: str, least: int | None = None) -> int:
    """The value of a constant integer, at least `least`.

    Raises:
        BindError: it is not one, or too small.
    """
    value = read_number(node, place, what)
    if not isinstance(value, int) or (least is not None and value < least):
        bound = "" if least is None else f" of at least {least}"
        raise place.of(node).error(f"{what} must be an integer{bound}, not {value}")
    return value


def read_share(node: exp.Expr, place: Place, what: str) -> float:
    """A constant number from 0 to 1.

    Raises:
        BindError: it is not one.
    """
    value = read_number(node, place, what)
    if not 0 <= value <= 1:
        raise place.of(node).error(f"{what} must be from 0 to 1, not {value}")
    return float(value)


def read_boolean(node: exp.Expr, place: Place, what: str) -> bool:
    """The value of TRUE or FALSE.

    Raises:
        BindError: it is neither.
    """
    inner = unwrap(node)
    if not isinstance(inner, exp.Boolean):
        raise wrong_kind(node, place, what, "TRUE or FALSE")
    return bool(inner.this)


def read_choice(node: exp.Expr, place: Place, what: str, choices: tuple[str, ...]) -> str:
    """One of a few words, in any case.

    Raises:
        BindError: it is none of them.
    """
    word = read_text(node, place, what).lower()
    if word not in choices:
        known = " or ".join(f"'{choice}'" for choice in choices)
        raise place.of(node).error(f"{what} must be {known}, not '{word}'")
    return word


def read_items(node: exp.Expr, place: Place, what: str) -> list[exp.Expr]:
    """The elements of a list or tuple.

    Raises:
        BindError: it is neither.
    """
    inner = unwrap(node)
    unnamed = isinstance(inner, exp.Struct) and fields_of(inner) is None
    if isinstance(inner, _LISTS) or unnamed:
        return list(inner.expressions)
    raise wrong_kind(node, place, what, "a list such as ['a', 'b']")


def fields_of(node: exp.Expr) -> dict[str, exp.Expr] | None:
    """The fields of `{'a': 1}` by lower-case name; None for what is not such a struct."""
    inner = unwrap(node)
    if isinstance(inner, exp.ToMap):
        inner = inner.this
    if not isinstance(inner, exp.Struct):
        return None
    pairs = inner.expressions
    if not pairs or not all(isinstance(pair, exp.PropertyEQ) for pair in pairs):
        return None
    return {pair.this.name.lower(): pair.expression for pair in pairs}


def wrong_kind(node: exp.Expr, place: Place, what: str, expected: str) -> Exception:
    """The error for an argument of the wrong kind, saying what it is instead."""
    return place.of(node).error(f"{what} must be {expected}, not {_describe(unwrap(node))}")


def _describe(node: exp.Expr) -> str:
    if isinstance(node, exp.Column):
        return f"the column {node.name}: it must be a constant{quoting_hint(node)}"
    if isinstance(node, exp.Placeholder | exp.Parameter):
        return "a bind parameter: write the value itself"
    if isinstance(node, exp.Null):
        return "NULL"
    return node.sql(dialect="duckdb", comments=False)


def _is_text(node: exp.Expr) -> bool:
    if isinstance(node, exp.DPipe | exp.Concat):
        operands = node.flatten() if isinstance(node, exp.DPipe) else node.expressions
        return all(_is_text(unwrap(operand)) for operand in operands)
    return literal_text(node) is not None


def _number(digits: str) -> Number | None:
    try:
        return int(digits) if digits.isdecimal() else float(Decimal(digits))
    except InvalidOperation:
        return None
