"""The proleptic Gregorian calendar over days since 1970-01-01, as DuckDB counts them.

Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms". All arrays are int64; every
function is O(rows).
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Shaped

Days = Shaped[Array, "*rows"]


def date_of(days: Days) -> tuple[Days, Days, Days]:
    """Year, month and day."""
    shifted = days.astype(jnp.int64) + 719_468
    era = shifted // 146_097
    day_of_era = shifted - era * 146_097
    leap = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_from_march = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_from_march + 2) // 5 + 1
    month = jnp.where(month_from_march < 10, month_from_march + 3, month_from_march - 9)
    year = year_of_era + era * 400 + (month <= 2).astype(jnp.int64)
    return year, month, day


def days_of(year: Days, month: Days, day: Days) -> Days:
    """Days since 1970-01-01 of a date that exists."""
    year = year - (month <= 2)
    era = year // 400
    year_of_era = year - era * 400
    month_from_march = jnp.where(month > 2, month - 3, month + 9)
    day_of_year = (153 * month_from_march + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def days_in_month(year: Days, month: Days) -> Days:
    """28 to 31."""
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    short = jnp.where(month == 2, 28 + leap, 30)
    long = (month == 1) | (month == 3) | (month == 5) | (month == 7) | (month == 8)
    return jnp.where(long | (month == 10) | (month == 12), 31, short)


def month_start(months: Days) -> Days:
    """The first day of a month, which is counted from the year 0."""
    return days_of(months // 12, months % 12 + 1, jnp.ones_like(months))


def add_months(days: Days, months: Days) -> Days:
    """The same day so many months later, or the last one of a month that is too short."""
    year, month, day = date_of(days)
    total = year * 12 + month - 1 + months
    last = days_in_month(total // 12, total % 12 + 1)
    return month_start(total) + jnp.minimum(day, last) - 1


def weekday(days: Days) -> Days:
    """0 for Monday to 6 for Sunday."""
    return (days + 3) % 7


def iso_year_and_week(days: Days) -> tuple[Days, Days]:
    """Year and number of the week: a week belongs to the year of its Thursday."""
    thursday = days - weekday(days) + 3
    year = date_of(thursday)[0]
    first = days_of(year, jnp.ones_like(year), jnp.ones_like(year))
    return year, (thursday - first) // 7 + 1


def day_of_year(days: Days) -> Days:
    """1 to 366."""
    year = date_of(days)[0]
    return days - days_of(year, jnp.ones_like(year), jnp.ones_like(year)) + 1


def quotient(a: Days, b: int) -> Days:
    """Division that truncates towards zero."""
    return lax.div(a, jnp.full_like(a, b))
