"""Scalar expressions over edge values: the graph's values, NULLs and types are DuckDB's.

The expressions stand in `scalars/*.txt`, a file for each table of `scalars/tables.sql`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from sqlax.compiler.lowering.environment import NotLowerableError
from tests.compiler.scalars.table import Table

FOLDER = Path(__file__).parent / "scalars"
NAMES = ("n", "k", "d", "e", "endless")


@pytest.fixture(scope="module")
def tables() -> Iterator[dict[str, Table]]:
    with duckdb.connect() as connection:
        connection.execute((FOLDER / "tables.sql").read_text(encoding="utf-8"))
        yield {name: Table(connection, name) for name in NAMES}


def expressions() -> Iterator[tuple[str, str]]:
    for name in NAMES:
        for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            yield name, line


@pytest.mark.parametrize(("name", "sql"), [*expressions()])
def test_equals_duckdb(tables: dict[str, Table], name: str, sql: str) -> None:
    """The same values of the same type; where DuckDB raises an error the graph reports one."""
    found = tables[name].by_graph(sql)
    try:
        expected = tables[name].by_duckdb(sql)[1]
    except duckdb.Error:
        assert found.outside
        return
    assert not found.outside
    assert [*map(plain, found.rows)] == [*map(plain, expected)]


def plain(value: Any) -> Any:
    """A value that equals another one where SQL cannot tell the two apart."""
    if not isinstance(value, float):
        return type(value), value
    return "NaN" if math.isnan(value) else (math.copysign(1, value), float(f"{value:.12g}"))


OUTSIDE = [
    ("n", "ub + 1"),
    ("n", "h * h"),
    ("n", "b::HUGEINT + 1"),
    ("k", "w - 0.001"),
    ("d", "ts - ts2 = iv"),
    ("e", "hash(s)"),
    ("endless", "d + 1"),
    ("endless", "ts - INTERVAL 1 DAY"),
    ("endless", "ts::DATE"),
    ("endless", "date_trunc('month', d)"),
]


@pytest.mark.parametrize(("name", "sql"), OUTSIDE)
def test_what_the_graph_cannot_hold_is_reported(
    tables: dict[str, Table], name: str, sql: str
) -> None:
    tables[name].by_duckdb(sql)
    assert tables[name].by_graph(sql).outside


NOT_IN_THE_GRAPH = [
    ("d", "ts - ts2", "INTERVAL"),
    ("d", "strftime(d, '%Y')", "TIMETOSTR"),
    ("d", "d::VARCHAR", "CAST from DATE to VARCHAR"),
    ("d", "year(tz)", "EXTRACT"),
    ("k", "fmod(d, 2)", "ANONYMOUS"),
    ("e", "s || s2", "DPIPE"),
    ("e", "str_split(s, 'b')", "VARCHAR"),
    ("e", "s || random()", "DPIPE"),
    ("e", "random() > 2", "RAND"),
    ("e", "s || nextval('q')", "DPIPE"),
    ("e", "twice(s)", "ANONYMOUS"),
    ("e", "n + length(twice('a'))", "volatile"),
    ("e", "max(s)", "MAX"),
]


@pytest.mark.parametrize(("name", "sql", "named"), NOT_IN_THE_GRAPH)
def test_what_the_graph_has_no_operation_for_is_named(
    tables: dict[str, Table], name: str, sql: str, named: str
) -> None:
    connection = tables[name].connection
    connection.execute("CREATE SEQUENCE IF NOT EXISTS q")
    connection.execute("CREATE OR REPLACE MACRO twice(x) AS x || random()")
    with pytest.raises(NotLowerableError, match=named):
        tables[name].by_graph(sql)


MANY = ["(i - 3)", "i::DECIMAL(12,2)", "s", "(DATE '2020-01-01' + i)", "i / 4"]


@pytest.mark.parametrize("value", MANY)
def test_a_long_list_is_searched(value: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i::INTEGER AS i, 'x' || i AS s FROM range(60) r(i)"
        )
        connection.execute("INSERT INTO t VALUES (NULL, NULL)")
        table = Table(connection, "t")
        drawn = connection.sql(f"SELECT {value} FROM t WHERE i % 3 = 0").fetchall()
        items = ", ".join(_literal(item) for (item,) in drawn)
        for sql in (f"{value} IN ({items})", f"{value} NOT IN ({items}, NULL)"):
            assert table.by_graph(sql).rows == table.by_duckdb(sql)[1]


def _literal(value: Any) -> str:
    return str(duckdb.ConstantExpression(value))
