"""Whether two answers are the same: names, types, and rows as a multiset."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.equality import Row, same_row, same_rows


@dataclass(frozen=True)
class Answer:
    """What a query gave: columns and rows, or the error it ended with.

    Attributes:
        columns: names.
        types: SQL types.
        rows: in the order in which they came.
        error: the error's first line; None where there are rows.
    """

    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    error: str | None = None


def difference(expected: Answer, got: Answer, *, ordered: bool = False) -> str | None:
    """What differs, in a line; None where nothing does.

    Args:
        expected: DuckDB's answer.
        got: the answer under test.
        ordered: whether the order of rows counts.
    """
    if expected.error is not None or got.error is not None:
        if expected.error is not None and got.error is not None:
            return None
        return f"expected {expected.error or 'rows'}, got {got.error or 'rows'}"
    if expected.columns != got.columns:
        return f"columns: expected {expected.columns}, got {got.columns}"
    if expected.types != got.types:
        return f"types: expected {expected.types}, got {got.types}"
    return _rows_differ(expected.rows, got.rows, ordered)


def _rows_differ(expected: Sequence[Row], got: Sequence[Row], ordered: bool) -> str | None:
    left, right = (expected, got) if ordered else (_sorted(expected), _sorted(got))
    if same_rows(left, right):
        return None
    if len(left) != len(right):
        return f"rows: expected {len(left)}, got {len(right)}; {_first(left, right)}"
    return f"rows: {_first(left, right)}"


def _first(left: Sequence[Row], right: Sequence[Row]) -> str:
    for a, b in zip(left, right, strict=False):
        if not same_row(a, b):
            return f"expected {a}, got {b}"
    longer, name = (left, "missing") if len(left) > len(right) else (right, "not expected")
    return f"{name}: {longer[min(len(left), len(right))]}"


def _sorted(rows: Sequence[Row]) -> list[Row]:
    """Rows in an order that floats of nearly the same value do not change."""
    return sorted(rows, key=_key)


def _key(row: Row) -> tuple[list[str], list[tuple[bool, float]]]:
    exact = ["" if isinstance(value, float) else repr(value) for value in row]
    return exact, [_float_key(value) for value in row if isinstance(value, float)]


def _float_key(value: float) -> tuple[bool, float]:
    """NaN after all others, and 0 for -0."""
    return (True, 0.0) if math.isnan(value) else (False, float(f"{value:.8g}") + 0.0)
