"""Numbers of JSON schemas: bounds and digits."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import NamedTuple

from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.numbers import DOUBLE, decimal_between, integer_between
from sqlax.runtime.constrain.schema_node import SchemaNode

_BIGINT = 2**63
_DIGITS = 15
"""Digits of a number that a double certainly keeps."""
_FRACTION = 6
"""Digits behind the point of a number with bounds, where nothing asks for more."""


class Bounds(NamedTuple):
    """The bounds of a number; a strict one is not in the range itself."""

    low: Decimal | None
    strict_low: Decimal | None
    high: Decimal | None
    strict_high: Decimal | None

    def given(self) -> list[Decimal]:
        """Those that there are."""
        return [bound for bound in self if bound is not None]

    def range(self, scale: int, most: int) -> tuple[int, int]:
        """First and last number in units of 10**-scale; `most` where there is no bound."""
        low = [_units(bound, scale, ROUND_CEILING) for bound in [self.low] if bound is not None]
        low += [_units(b, scale, ROUND_FLOOR) + 1 for b in [self.strict_low] if b is not None]
        high = [_units(bound, scale, ROUND_FLOOR) for bound in [self.high] if bound is not None]
        high += [_units(b, scale, ROUND_CEILING) - 1 for b in [self.strict_high] if b is not None]
        return max(low, default=-most), min(high, default=most)


def integer(node: SchemaNode) -> Expression:
    """The integers of a schema; those of BIGINT where a bound is missing.

    Raises:
        BindError: there are none between the bounds.
        UnsupportedError: multiples of anything but 1.
    """
    if (node.take_number("multipleOf") or 1) != 1:
        raise node.unsupported("multipleOf of an integer")
    first, last = _taken(node).range(0, _BIGINT - 1)
    if first > last:
        raise node.wrong("no integer lies between the bounds")
    return integer_between(first, last)


def number(node: SchemaNode) -> Expression:
    """The numbers of a schema: any double, or decimals where there are bounds or `multipleOf`.

    Raises:
        BindError: there are none between the bounds.
        UnsupportedError: multiples of anything but a power of ten up to 1.
    """
    step, bounds = node.take_number("multipleOf"), _taken(node)
    if step is None and not bounds.given():
        return DOUBLE
    scale = _digits(bounds) if step is None else _digits_of_step(node, step)
    first, last = bounds.range(scale, 10**_DIGITS - 1)
    if first > last:
        raise node.wrong("no number lies between the bounds")
    return decimal_between(Decimal(first).scaleb(-scale), Decimal(last).scaleb(-scale), scale)


def _taken(node: SchemaNode) -> Bounds:
    keywords = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
    return Bounds(*(node.take_number(keyword) for keyword in keywords))


def _units(bound: Decimal, scale: int, rounding: str) -> int:
    return int(bound.scaleb(scale).to_integral_value(rounding))


def _digits(bounds: Bounds) -> int:
    """Digits behind the point: as many as the bounds have, and a few more that a double keeps."""
    written = max(max(0, -int(bound.as_tuple().exponent)) for bound in bounds.given())
    whole = max(len(str(int(abs(bound)))) for bound in bounds.given())
    return max(written, min(_FRACTION, max(_DIGITS - whole, 0)))


def _digits_of_step(node: SchemaNode, step: Decimal) -> int:
    sign, digits, exponent = step.normalize().as_tuple()
    if sign or digits != (1,) or int(exponent) > 0:
        raise node.unsupported(f"multipleOf {step}")
    return -int(exponent)
