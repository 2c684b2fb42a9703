"""Dates and times as SQL writes them; only days that the calendar has."""

from __future__ import annotations

from sqlax.runtime.constrain.expression import DIGIT, Expression, Repeat, chain, choice
from sqlax.runtime.constrain.numbers import digits_between

_LONG = choice("01", "03", "05", "07", "08", "10", "12")
_SHORT = choice("04", "06", "09", "11")
_LEAP_IN_CENTURY = choice(*(f"{year:02}" for year in range(4, 100, 4)))


def date() -> Expression:
    """YYYY-MM-DD from 0001-01-01 to 9999-12-31, in the Gregorian calendar."""
    year = digits_between("0001", "9999")
    days = choice(
        chain(_LONG, "-", digits_between("01", "31")),
        chain(_SHORT, "-", digits_between("01", "30")),
        chain("02-", digits_between("01", "28")),
    )
    return choice(chain(year, "-", days), chain(_leap_year(), "-02-29"))


def time() -> Expression:
    """HH:MM:SS."""
    sixty = digits_between("00", "59")
    return chain(digits_between("00", "23"), ":", sixty, ":", sixty)


def timestamp(between: str = " ", zone: str = "") -> Expression:
    """A date and a time, `between` them and `zone` behind them."""
    return chain(date(), between, time(), zone)


def _leap_year() -> Expression:
    century = Repeat(DIGIT, 2, 2)
    return choice(chain(century, _LEAP_IN_CENTURY), chain(_LEAP_IN_CENTURY, "00"))
