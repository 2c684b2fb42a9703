"""What a generate operator reports, by counts, and the fewest tokens of a text."""

from __future__ import annotations

import pytest

from sqlax.compiler.lowering import operators
from sqlax.connection import Connection
from sqlax.errors import BindError
from tests.surface.conftest import Open

TEXT = "fine film"
ANSWERS: dict[str, str | float] = {"good": TEXT, "bad": "no"}
LANES = 32
"""Of an operator over twenty rows."""


@pytest.fixture
def con(fake: Open) -> Connection:
    """Twenty reviews, ten good, ten bad."""
    connection = fake(ANSWERS)
    connection.execute(
        "CREATE TABLE t AS SELECT i AS id, "
        "CASE WHEN i % 2 = 0 THEN 'good ' ELSE 'bad ' END || i AS x FROM range(20) r(i)"
    )
    return connection


def asked(options: str) -> str:
    return f"SELECT id, AI_GENERATE(('Say: ', x), {options}) AS s FROM t ORDER BY id"


def test_a_report_tells_written_tokens_from_those_of_prompts(con: Connection) -> None:
    result = con.sql(asked("max_tokens => 12"))
    texts = [text for _, text in result.fetchall()]
    (operator,) = result.report.operators
    written = operator.written
    assert written is not None
    assert texts == [TEXT, "no"] * 10
    assert (written.texts, written.tokens) == (20, sum(map(len, texts)))
    prompts = sum(len(f"{side} {i}") for i, side in enumerate(["good", "bad"] * 10))
    assert operator.tokens >= prompts + written.tokens
    assert (written.chunks, written.steps) == (1, len(TEXT))
    assert (written.rows, written.lanes) == (written.tokens, LANES * written.steps)
    assert written.occupancy == written.rows / written.lanes
    assert 20 <= written.pages <= 40
    assert written.unused <= written.pages * written.page


def test_a_row_wastes_less_than_a_page(con: Connection) -> None:
    (operator,) = con.sql(asked("max_tokens => 40, min_tokens => 40")).report.operators
    assert operator.written is not None
    assert operator.written.unused < operator.written.texts * operator.written.page


def test_analyze_says_it_in_the_operators_line(con: Connection) -> None:
    ((_, text),) = con.sql(f"EXPLAIN ANALYZE {asked('max_tokens => 12')}").fetchall()
    (line,) = [line for line in text.splitlines() if "AI_GENERATE #" in line]
    assert f", 110 written in 1 chunks and {len(TEXT)} steps, 38% of lanes full, " in line


def test_other_operators_write_nothing(con: Connection) -> None:
    (operator,) = con.sql("SELECT AI_IF(x) FROM t").report.operators
    assert operator.written is None


@pytest.mark.parametrize("drawn", ["", ", temperature => 0.5, seed => 3"])
def test_no_text_ends_before_min_tokens(con: Connection, drawn: str) -> None:
    texts = dict(con.sql(asked(f"min_tokens => 5, max_tokens => 12{drawn}")).fetchall())
    assert all(len(text.encode()) >= 5 for text in texts.values())
    assert all(text.startswith("no") for id_, text in texts.items() if id_ % 2)


def test_min_tokens_ends_a_text_that_can_only_end(con: Connection) -> None:
    texts = con.sql(asked("min_tokens => 5, max_tokens => 12, choices => ['no', 'so']")).fetchall()
    assert {text for _, text in texts} <= {"no", "so"}


def test_min_tokens_is_at_most_max_tokens(con: Connection) -> None:
    with pytest.raises(BindError, match="min_tokens is 9, and max_tokens is 8"):
        con.sql(asked("min_tokens => 9, max_tokens => 8"))


def test_lanes_do_not_stay_empty_while_rows_wait(
    con: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight lanes, three rounds of rows, prompts of two shapes: lanes do not end together."""
    monkeypatch.setattr(operators, "MOST_LANES", 8)
    con.execute(
        "CREATE TABLE many AS SELECT i AS id, "
        "'bad' || i || repeat('x', CASE WHEN i % 3 = 0 THEN 40 ELSE 0 END) AS x FROM range(24) r(i)"
    )
    sql = asked("max_tokens => 20, min_tokens => 20").replace("FROM t", "FROM many")
    (operator,) = con.sql(sql).report.operators
    assert operator.written is not None
    assert (operator.written.texts, operator.written.tokens) == (24, 24 * 20)
    assert operator.written.steps <= 3 * 19 + 12
    assert operator.written.occupancy > 0.85
