"""Small random relations, on the device and in DuckDB."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import duckdb
import hypothesis.strategies as st
import jax
import numpy as np
from hypothesis import settings

from sqlax.runtime.relation import Column, Relation

Rows: TypeAlias = list[tuple[Any, ...]]

few = settings(max_examples=25, deadline=None, derandomize=True, database=None)

INTEGERS = st.one_of(st.none(), st.integers(-2, 2), st.sampled_from([2**63 - 1, -(2**63)]))
FLOATS = st.one_of(
    st.none(), st.sampled_from([0.0, -0.0, 1.5, -1.5, math.inf, -math.inf, math.nan])
)
CAPACITY = 8
TYPES = {"a": "BIGINT", "d": "DOUBLE", "i": "BIGINT"}


def rows_of(*columns: st.SearchStrategy[Any], most: int = CAPACITY) -> st.SearchStrategy[Rows]:
    """No row, one row, and up to as many as there are slots."""
    return st.lists(st.tuples(*columns), max_size=most)


rows = rows_of(INTEGERS, FLOATS, INTEGERS)
"""Rows of `TYPES`: a key with the edges of int64, one with the edges of a float, a value."""


def relation(rows: Rows, types: dict[str, str], capacity: int = CAPACITY) -> Relation:
    """The rows in random-looking slots: every second one while there is room, garbage elsewhere."""
    step = 2 if 2 * len(rows) <= capacity else 1
    slots = [place * step for place in range(len(rows))]
    mask = np.zeros(capacity, bool)
    mask[slots] = True
    columns = {}
    for number, (name, kind) in enumerate(types.items()):
        data = np.full(capacity, 77, np.float64 if kind == "DOUBLE" else np.int64)
        valid = np.ones(capacity, bool)
        for slot, row in zip(slots, rows, strict=True):
            valid[slot] = row[number] is not None
            data[slot] = row[number] if valid[slot] else 55
        columns[name] = Column(jax.numpy.asarray(data), jax.numpy.asarray(valid))
    return Relation(columns, jax.numpy.asarray(mask))


def read(found: Relation, names: Iterable[str]) -> Rows:
    """The named columns of the rows that exist, in order; JAX does not keep the columns' order."""
    columns = [
        [v if ok else None for v, ok in zip(c.data.tolist(), c.valid.tolist(), strict=True)]
        for c in (found.columns[name] for name in names)
    ]
    rows = zip(*columns, strict=True)
    return [row for row, exists in zip(rows, found.mask.tolist(), strict=True) if exists]


@contextmanager
def tables(**given: tuple[Rows, dict[str, str]]) -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB with the rows as tables, each with its place in a column `at_`."""
    with duckdb.connect() as connection:
        for name, (rows, types) in given.items():
            columns = ", ".join(f"{column} {kind}" for column, kind in types.items())
            connection.execute(f"CREATE TABLE {name} ({columns}, at_ INTEGER)")
            marks = ", ".join("?" * (len(types) + 1))
            for place, row in enumerate(rows):
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", [*row, place])
        yield connection


def assert_same(found: Rows, expected: Rows) -> None:
    """Equal rows in equal order; NaN equals NaN, and 0.0 equals -0.0."""
    assert [_plain(row) for row in found] == [_plain(row) for row in expected]


def assert_same_set(found: Rows, expected: Rows) -> None:
    """Equal rows in any order."""
    assert sorted(map(_plain, found)) == sorted(map(_plain, expected))


def _plain(row: tuple[Any, ...]) -> list[str]:
    return [repr(v + 0.0 if isinstance(v, float) else v) for v in row]
