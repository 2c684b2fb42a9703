"""Whether two results have the same rows, with room for the order in which floats are added."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Row = tuple[Any, ...]

RELATIVE = 1e-9


def same_rows(left: Sequence[Row], right: Sequence[Row]) -> bool:
    """Whether the rows are equal one by one, in order."""
    return len(left) == len(right) and all(map(same_row, left, right))


def same_row(left: Row, right: Row) -> bool:
    """Whether two rows are equal value by value."""
    return len(left) == len(right) and all(map(same_value, left, right))


def same_value(left: Any, right: Any) -> bool:
    """Whether two values are equal; floats within 1e-9 of the larger, NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if not isinstance(left, float):
        return bool(left == right)
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    return math.isclose(left, right, rel_tol=RELATIVE, abs_tol=1e-12)
