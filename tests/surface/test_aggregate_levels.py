"""T29: AI_AGG over a group of three levels: order, DISTINCT and FILTER hold in each of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.compiler.report import RunReport
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

SAID: dict[str, str | float] = {
    "left out": "wrong",
    "wrong": "wrong",
    "p000\np000": "twice",
    "twice": "twice",
    "p000\np001": "up",
    "up": "up",
    "p001\np000": "down",
    "down": "down",
    "p": "part",
}
"""What the first two texts of a group say goes up through all levels."""
TABLE = """
    CREATE TABLE t AS SELECT 150 * g + i AS k, g, 'p' || printf('%03d', i) AS x
        FROM range(150) r(i), range(2) s(g);
    INSERT INTO t SELECT * FROM t;
    INSERT INTO t VALUES (-1, 0, 'left out');
"""
LEVELS = {"up": [25, 3, 1], "down": [25, 2, 1]}
"""Calls: six texts of 4 tokens in the 40 - 5 - 5 = 30 that are free, as many answers of 4.

Equal windows are asked once: at the second level they are all parts, the one that begins
otherwise, and the last one of a single text, which begins otherwise where texts descend.
"""


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default="none", context_length=40))
    connection.execute(TABLE)
    yield connection
    connection.close()


def levels(report: RunReport) -> list[int]:
    """The calls of each level of the only reduction."""
    (found,) = [stage for stage in report.stages if stage.stages or stage.operators]
    return [*(stage.calls for stage in found.stages), found.operators[0].calls]


def asked(texts: str) -> str:
    call = f"AI_AGG({texts}) FILTER (WHERE k >= 0)"
    return f"SELECT g, {call} AS a FROM t GROUP BY g ORDER BY g"


@pytest.mark.parametrize(
    ("order", "said"),
    [("", "up"), pytest.param("DESC", "down", marks=pytest.mark.slow)],
    ids=["up", "down"],
)
def test_t29_three_levels_keep_order_and_leave_out_what_is_filtered(
    con: Connection, order: str, said: str
) -> None:
    """The two groups have equal texts, which are asked once."""
    query = con.compile(asked(f"DISTINCT x, 'say', max_tokens => 5 ORDER BY x {order}"))
    first, again = query.run(), query.run()
    assert first.fetchall() == again.fetchall() == [(0, said), (1, said)]
    assert levels(first.report) == LEVELS[said]
