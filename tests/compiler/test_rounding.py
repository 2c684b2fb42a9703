"""The compiler must not change how floats are rounded: a program gives DuckDB's very bits.

Evaluated operation by operation an expression is right by itself; compiled, XLA may merge two
operations into one that rounds differently.
"""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pytest

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.query import plan_query
from sqlax.models.fake import FakeModel
from sqlax.result import Result

VALUES = """
    x * y + z; x * y - z * y; (x + y) - x; x / y * z; (x / y) / z; x / 100; x / 7 / 3; m / 100;
    (m / 7)::DOUBLE / 3; m::DOUBLE / i; i / 10; x * 3;
    sqrt(abs(x)); round(x, 2); round(x * 100) / 100; f * f + f; f / 3; f * 0.1;
    f::DOUBLE * f::DOUBLE + f; i::FLOAT / 7; m::FLOAT; m::DOUBLE; x::FLOAT;
    x::DECIMAL(12,4)::DOUBLE; CASE WHEN x > 0 THEN x * y ELSE z END + z; x % 0.7; x - y * 0.5;
    epoch(ts) / 60; julian(ts); -x * y - z; y * 100 + x * 0.1; (x + y) * z - x; f * 3 - f;
    x // 3 * 3; x / 100 + y; x / (y / z); 100 / x; 1 / 3.0 * x; x / 1e3 / 1e3
"""


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    drawn = "sin(i) * {0} AS {1}"
    floats = ", ".join(drawn.format(10**n, name) for n, name in ((1, "x"), (3, "y"), (4, "z")))
    others = "(cos(i) * 1000)::DECIMAL(9,3) AS m, tan(i)::FLOAT AS f"
    rest = f"{others}, make_timestamp(i * 123456789) AS ts FROM range(1, 2001) r(i)"
    made.execute(f"CREATE TABLE t AS SELECT i, {floats}, {rest}")
    return made


def test_floats_are_rounded_as_duckdb_rounds_them(connection: duckdb.DuckDBPyConnection) -> None:
    values = [value.strip() for value in VALUES.split(";")]
    sql = f"SELECT {', '.join(f'{v} AS v{i}' for i, v in enumerate(values))} FROM t"
    plan = plan_query(sql, connection.cursor(), mode="graph")
    assert not plan.stages
    model = FakeModel({})
    outcome = Execution(plan, Models(model.name, {model.name: model})).run()
    found = Result(outcome, connection.cursor()).relation.fetchnumpy()
    expected = connection.sql(sql).fetchnumpy()
    wrong = [v for i, v in enumerate(values) if differ(found[f"v{i}"], expected[f"v{i}"])]
    assert wrong == []


def differ(found: Any, expected: Any) -> bool:
    return not np.array_equal(found, expected, equal_nan=True)
