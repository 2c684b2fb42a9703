"""Numbers as they are written: integers and decimals in exact ranges, floating point."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from sqlax.runtime.constrain.characters import Characters
from sqlax.runtime.constrain.expression import (
    DIGIT,
    Choice,
    Expression,
    Literal,
    OneOf,
    Repeat,
    chain,
    choice,
    optional,
)

NOTHING = Literal("")
NOT_ZERO = OneOf(Characters.of("123456789"))


def integer_between(low: int, high: int) -> Expression:
    """The integers from `low` to `high`, without leading zeros and without -0."""
    parts: list[Expression] = []
    if low < 0:
        parts.append(chain("-", _natural(max(1, -high), -low)))
    return Choice((*parts, _natural(max(low, 0), high)))


def decimal_between(low: Decimal, high: Decimal, scale: int) -> Expression:
    """The numbers from `low` to `high` with up to `scale` digits behind the point; never -0."""
    first = int(low.scaleb(scale).to_integral_value(ROUND_CEILING))
    last = int(high.scaleb(scale).to_integral_value(ROUND_FLOOR))
    parts: list[Expression] = []
    if first < 0:
        parts.append(chain("-", _scaled(max(1, -last), -first, scale)))
    return Choice((*parts, _scaled(max(first, 0), last, scale)))


def digits_between(low: str, high: str) -> Expression:
    """The numbers from `low` to `high`, with as many digits as both have, leading zeros too."""
    rest = len(low) - 1
    if rest < 0:
        return NOTHING
    if set(low) == {"0"} and set(high) == {"9"}:
        return Repeat(DIGIT, rest + 1, rest + 1)
    if low[0] == high[0]:
        return chain(low[0], digits_between(low[1:], high[1:]))
    return choice(
        chain(low[0], digits_between(low[1:], "9" * rest)),
        chain(_digit_inside(low[0], high[0]), Repeat(DIGIT, rest, rest)),
        chain(high[0], digits_between("0" * rest, high[1:])),
    )


def floating(digits: int, least_exponent: int, most_exponent: int) -> Expression:
    """Numbers of up to that many digits, with a fraction and an exponent where there is one.

    The digits as an integer and the power of ten that they are to be multiplied with or divided
    by are then both exact in floating point, so that one operation gives the nearest number
    (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
    """
    forms = [chain("0", optional(".", Repeat(DIGIT, 1, digits)))]
    for whole in range(1, digits + 1):
        fraction = optional(".", Repeat(DIGIT, 1, digits - whole)) if whole < digits else NOTHING
        forms.append(chain(NOT_ZERO, Repeat(DIGIT, whole - 1, whole - 1), fraction))
    exponents = [integer_between(least_exponent, -1), integer_between(1, most_exponent)]
    return chain(optional("-"), Choice(tuple(forms)), optional("e", Choice(tuple(exponents))))


def _natural(low: int, high: int) -> Expression:
    """The natural numbers from `low` to `high`, split by their number of digits."""
    if low > high:
        return Choice(())
    least, most = len(str(low)), len(str(high))
    if least == most:
        return digits_between(str(low), str(high))
    between = chain(NOT_ZERO, Repeat(DIGIT, least, most - 2)) if most - least > 1 else Choice(())
    return choice(
        digits_between(str(low), "9" * least),
        between,
        digits_between("1" + "0" * (most - 1), str(high)),
    )


def _scaled(low: int, high: int, scale: int) -> Expression:
    """The numbers from `low` to `high`, both in units of the last of `scale` digits."""
    if low > high:
        return Choice(())
    if not scale:
        return _natural(low, high)
    (whole, first), (end, last) = divmod(low, 10**scale), divmod(high, 10**scale)
    lowest, highest = str(first).zfill(scale), str(last).zfill(scale)
    zeros, nines = "0" * scale, "9" * scale
    if whole == end:
        return chain(str(whole), _fraction(lowest, highest))
    return choice(
        chain(str(whole), _fraction(lowest, nines)),
        chain(_natural(whole + 1, end - 1), _fraction(zeros, nines)),
        chain(str(end), _fraction(zeros, highest)),
    )


def _fraction(low: str, high: str) -> Expression:
    """A point and digits, or nothing where that is in the range."""
    digits = chain(".", _fraction_digits(low, high))
    return Repeat(digits, 0, 1) if int(low) == 0 else digits


def _fraction_digits(low: str, high: str) -> Expression:
    """One digit or more, up to as many as both have; digits that are left out are zeros."""
    if low[0] == high[0]:
        return chain(low[0], _more_digits(low[1:], high[1:]))
    rest = len(low) - 1
    return choice(
        chain(low[0], _more_digits(low[1:], "9" * rest)),
        chain(_digit_inside(low[0], high[0]), Repeat(DIGIT, 0, rest)),
        chain(high[0], _more_digits("0" * rest, high[1:])),
    )


def _more_digits(low: str, high: str) -> Expression:
    if not low:
        return NOTHING
    if set(low) == {"0"} and set(high) == {"9"}:
        return Repeat(DIGIT, 0, len(low))
    return Repeat(_fraction_digits(low, high), 0 if int(low) == 0 else 1, 1)


def _digit_inside(low: str, high: str) -> Expression:
    """The digits above `low` and below `high`."""
    return OneOf(Characters.between((ord(low) + 1, ord(high) - 1)))


DOUBLE = floating(15, -7, 22)
"""15 digits are below 2**53, and 10**22 is the largest power of ten that is exact."""
FLOAT = floating(7, -3, 10)
"""7 digits are below 2**24, and 10**10 is the largest power of ten that is exact."""
