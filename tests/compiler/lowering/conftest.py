"""Tables of edges: NULLs, duplicates, no rows, and row counts around a capacity."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from tests.compiler.lowering.plans import Tables

TEXTS = ["a", "b", "c", "dd"]


def _rows(name: str, count: int, seed: int) -> str:
    """`count` rows of few values each, with NULLs among them."""
    return f"""
        CREATE TABLE {name} AS SELECT
            CASE WHEN h % 7 = 0 THEN NULL ELSE (h % 5)::INTEGER END AS k,
            CASE WHEN h // 7 % 5 = 0 THEN NULL ELSE (h // 7 % 4)::BIGINT - 2 END AS v,
            CASE WHEN h // 11 % 6 = 0 THEN NULL
                 WHEN h // 11 % 6 = 1 THEN 'nan'::DOUBLE
                 WHEN h // 11 % 6 = 2 THEN -0.0::DOUBLE
                 ELSE (h // 13 % 9)::DOUBLE / 4 END AS d,
            CASE WHEN h // 17 % 5 = 0 THEN NULL
                 ELSE ['a', 'b', 'c', 'dd'][(h // 17 % 4 + 1)::INTEGER] END AS s,
            CASE WHEN h // 19 % 6 = 0 THEN NULL
                 ELSE ((h // 19 % 90)::DOUBLE / 7)::DECIMAL(9, 2) END AS m,
            CASE WHEN h // 23 % 6 = 0 THEN NULL
                 ELSE DATE '2020-01-01' + (h // 23 % 40)::INTEGER END AS t,
            CASE WHEN h // 29 % 4 = 0 THEN NULL ELSE h // 29 % 2 = 0 END AS b,
            (h // 31 % 9)::DOUBLE / 4 AS q,
            i::INTEGER AS at_
        FROM (SELECT i, (hash(i + {seed}) % 1000003)::BIGINT AS h FROM range({count}) r(i))
    """


@pytest.fixture(params=[False, True], ids=["general", "bounds"])
def tables(request: pytest.FixtureRequest) -> Iterator[Tables]:
    """Tables `none`, `one`, `few` (8 rows), `more` (9), `many` (40) and `other` (13)."""
    with duckdb.connect() as connection:
        counts = {"none": 0, "one": 1, "few": 8, "more": 9, "many": 40, "other": 13}
        for seed, (name, count) in enumerate(counts.items()):
            connection.execute(_rows(name, count, 100 * seed))
        yield Tables(connection, TEXTS, bounded=request.param)
