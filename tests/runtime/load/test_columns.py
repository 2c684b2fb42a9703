"""Columns come from DuckDB to the device's arrays and back unchanged."""

from __future__ import annotations

from typing import Any

import duckdb
import jax
import jax.numpy as jnp
import numpy as np
import pyarrow as pa
import pytest

from sqlax.errors import OutsideGraphError
from sqlax.runtime.decode import OutputColumn, arrow_column
from sqlax.runtime.load import arrow
from sqlax.runtime.load.columns import (
    bounded_column,
    column_bounds,
    host_column,
    load_column,
    narrow_column,
    validity,
)
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.narrow import NarrowColumn, NarrowRelation

NONE = StringDictionary.of([], [])
COLUMNS = [
    ("DECIMAL(4,2)", "decimal", 2, np.int64, "(i - 50) / 7"),
    ("DECIMAL(9,0)", "decimal", 0, np.int64, "i * 1000"),
    ("DECIMAL(18,3)", "decimal", 3, np.int64, "(i - 50) * 123456789012.345"),
    ("DECIMAL(38,10)", "decimal", 10, np.int64, "i * -1234567.0123456789"),
    ("HUGEINT", "decimal", 0, np.int64, "(i - 50) * 90071992547409919"),
    ("UHUGEINT", "decimal", 0, np.int64, "i"),
    ("TINYINT", "integer", 0, np.int64, "i - 50"),
    ("USMALLINT", "integer", 0, np.int64, "i * 600"),
    ("UBIGINT", "integer", 0, np.int64, "i * 90071992547409919"),
    ("BOOLEAN", "boolean", 0, np.bool_, "i % 3 = 0"),
    ("FLOAT", "float", 0, np.float64, "i / 7"),
    ("DOUBLE", "float", 0, np.float64, "i / 7"),
    ("DATE", "date", 0, np.int64, "DATE '1969-12-01' + i::INTEGER"),
    ("TIME", "time", 0, np.int64, "TIME '00:00:00.5' + to_minutes(i)"),
    (
        "TIMESTAMP",
        "timestamp",
        0,
        np.int64,
        "TIMESTAMP '1969-12-31 23:00:00.000001' + to_minutes(i)",
    ),
    ("TIMESTAMPTZ", "instant", 0, np.int64, "TIMESTAMPTZ '1969-12-31 23:00:00+02' + to_minutes(i)"),
]


def loaded(sql: str) -> pa.ChunkedArray:
    """The values in several chunks that do not begin at the start of their buffers."""
    with duckdb.connect() as connection:
        column = connection.sql(sql).to_arrow_table().column(0).combine_chunks()
    pieces = [column.slice(0, 3), column.slice(3, 0), column.slice(3, 10), column.slice(13)]
    return pa.chunked_array(pieces, column.type)


@pytest.mark.parametrize(
    ("type_name", "kind", "scale", "dtype", "value"), COLUMNS, ids=[c[0] for c in COLUMNS]
)
def test_values_come_back(type_name: str, kind: str, scale: int, dtype: Any, value: str) -> None:
    made = f"SELECT CASE WHEN i % 5 > 0 THEN ({value})::{type_name} END AS v FROM range(100) t(i)"
    column = load_column(loaded(made), dtype, 128)
    assert column.data.dtype == dtype
    assert not np.asarray(column.valid)[100:].any()
    data, valid = np.asarray(column.data)[:100], np.asarray(column.valid)[:100]
    back = arrow_column(OutputColumn(kind, scale), data, valid, NONE)
    with duckdb.connect() as connection:
        found = connection.from_arrow(pa.table({"v": back})).project(f"v::{type_name}").fetchall()
        assert found == connection.sql(made).fetchall()


def narrowed(sql: str, dtype: Any, capacity: int, *, nullable: bool = False) -> NarrowColumn:
    column = loaded(sql)
    valid = validity(column, capacity) if nullable else None
    pieces = map(arrow.values, column.chunks)
    return narrow_column(pieces, valid, dtype, capacity, column_bounds(column))


def test_bounds_hold_every_value() -> None:
    column = narrowed("SELECT 1000 + i AS v FROM range(300) t(i)", np.int64, 512)
    assert column.low == 1000
    assert column.bits == 12
    assert column_bounds(loaded("SELECT i << 45 AS v FROM range(9) t(i)")) is None
    assert column_bounds(loaded("SELECT NULL::INTEGER AS v FROM range(19) t(i)")) == (
        np.int64(0),
        1,
    )


WIDTHS = [
    ("i % 2 = 0", np.bool_, np.bool_),
    ("i % 2 - 7", np.int64, np.uint8),
    ("i::DECIMAL(9,2)", np.int64, np.uint16),
    ("DATE '1900-01-01' + (i * 40)::INTEGER", np.int64, np.uint16),
    ("-10000000 * i", np.int64, np.uint32),
    ("5000000000 + i * 100", np.int64, np.uint16),
    ("40000000000 * i", np.int64, np.int64),
    ("18446744073709551 * i::UBIGINT", np.int64, np.int64),
]


@pytest.mark.parametrize("nullable", [False, True])
@pytest.mark.parametrize(("value", "dtype", "held"), WIDTHS, ids=[w[0] for w in WIDTHS])
def test_values_are_held_as_narrow_as_their_bounds(
    value: str, dtype: Any, held: Any, nullable: bool
) -> None:
    made = f"CASE WHEN i % 5 > 0 THEN {value} END" if nullable else value
    sql = f"SELECT {made} AS v FROM range(300) t(i)"
    with jax.enable_x64(True):
        column = narrowed(sql, dtype, 512, nullable=nullable)
        relation = NarrowRelation({"v": jax.device_put(column)}, jnp.asarray(300, jnp.int32), 512)
        wide, part = relation.wide(), relation.part(jnp.asarray(200, jnp.int32), 256)
    assert column.data.dtype == held
    expected = load_column(loaded(sql), dtype, 512)
    assert wide.columns["v"].data.dtype == part.columns["v"].data.dtype == dtype
    for found, slots in ((wide, slice(0, 512)), (part, slice(200, 456))):
        valid = np.asarray(expected.valid)[slots]
        assert (np.asarray(found.columns["v"].valid) == valid).all()
        values = np.asarray(found.columns["v"].data)[valid]
        assert (values == np.asarray(expected.data)[slots][valid]).all()
    assert np.asarray(wide.mask).sum() == 300
    assert np.asarray(part.mask).sum() == 100


def test_a_buffer_starts_where_jax_takes_it_over() -> None:
    column = host_column(np.arange(5, dtype=np.int32), np.ones(5, bool), 8)
    assert np.asarray(column.data).ctypes.data % 64 == 0
    assert np.asarray(column.data).tolist() == [0, 1, 2, 3, 4, 0, 0, 0]
    bounded = bounded_column(np.asarray([7, 9]), np.asarray([True, False]), 4)
    assert bounded.low == 7
    assert bounded.bits == 1


TOO_LARGE = [
    "9223372036854775808::HUGEINT",
    "18446744073709551615::UBIGINT",
    "-9223372036854775809",
]


@pytest.mark.parametrize("value", [*TOO_LARGE, "99999999999999999999.5"])
def test_what_does_not_fit_64_bits_is_reported(value: str) -> None:
    given = loaded(f"SELECT CASE WHEN i = 40 THEN {value} END AS v FROM range(50) t(i)")
    with pytest.raises(OutsideGraphError, match="64 bits"):
        load_column(given, np.int64, 64)


def test_label_sets_keep_the_order_of_the_labels() -> None:
    held = OutputColumn("labels", labels=("b", "a", "c"))
    data, valid = np.asarray([0b101, 0, 0b010, 0b111]), np.asarray([True, True, True, False])
    made = arrow_column(held, data, valid, NONE)
    assert made.to_pylist() == [["b", "c"], [], ["a"], None]


def test_an_enum_is_held_by_position() -> None:
    sql = "SELECT CASE WHEN i < 15 THEN (['z', 'a', 'm'][1 + i % 3])::ENUM('z', 'm', 'a') END AS v"
    given = loaded(f"{sql} FROM range(20) t(i)")
    column = load_column(given, np.int32, 32)
    assert np.asarray(column.data)[:3].tolist() == [0, 2, 1]
    held = OutputColumn("enum", labels=("z", "m", "a"))
    data, valid = np.asarray(column.data)[:20], np.asarray(column.valid)[:20]
    assert arrow_column(held, data, valid, NONE).to_pylist() == given.to_pylist()
