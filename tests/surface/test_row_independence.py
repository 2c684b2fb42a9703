"""The answer of a row is bit-equal alone, in any batch, in any order, beside any other rows."""

from __future__ import annotations

import numpy as np
import pytest

import sqlax
from sqlax.connection import Connection

pytestmark = pytest.mark.real_model

WORDS = [
    "the",
    "acting",
    "was",
    "warm",
    "but",
    "slow",
    "and",
    "nobody",
    "in",
    "town",
    "could",
    "follow",
    "a",
    "plot",
    "of",
    "such",
    "odd",
    "charm",
]
QUERY = "SELECT i, AI_SCORE(('Is this review positive? ', x)) FROM t ORDER BY i"
RAW = "SELECT i, AI_SCORE(('Review: ', x, ' Good?'), raw => TRUE) FROM t ORDER BY i"


@pytest.fixture(scope="module")
def con(default_model: str) -> Connection:
    return sqlax.connect(model=default_model)


def texts(count: int) -> list[str]:
    """Texts of 1 to about 40 words, all different."""
    random = np.random.default_rng(7)
    return [f"{' '.join(random.choice(WORDS, random.integers(1, 40)))} {i}" for i in range(count)]


def store(con: Connection, rows: list[tuple[int, str]]) -> None:
    con.execute("DELETE FROM t")
    con.duckdb.executemany("INSERT INTO t VALUES (?, ?)", rows)


@pytest.mark.parametrize("sql", [QUERY, RAW], ids=["profile", "raw"])
def test_t17_scores_are_bit_equal_in_any_batch_and_order(con: Connection, sql: str) -> None:
    con.execute("CREATE OR REPLACE TABLE t (i INTEGER, x VARCHAR)")
    query, rows = con.compile(sql), list(enumerate(texts(64)))

    def scores(some: list[tuple[int, str]]) -> dict[int, float]:
        store(con, some)
        return dict(query.run().fetchall())

    together = scores(rows)
    order = np.random.default_rng(1).permutation(len(rows))
    assert scores([rows[i] for i in order]) == together
    for part in (rows[:1], rows[5:6], rows[30:32], rows[7:24]):
        assert scores(part) == {i: together[i] for i, _ in part}
