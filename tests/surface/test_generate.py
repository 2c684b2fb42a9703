"""Generated texts: NULLs, blanks, ends, lengths, refused rows, order and number of calls."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

import sqlax
from sqlax.compiled import CompiledQuery
from sqlax.compiler.lowering import operators
from sqlax.connection import Connection
from sqlax.errors import RowError
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.surface.conftest import Open

ANSWERS: dict[str, str | float] = {
    "long": "0123456789abcdef",
    "good": "fine",
    "bad": "",
    "<|": "no",
}
QUERY = """
    SELECT i, AI_GENERATE(('q ', x), max_tokens => 8, return_error_details => TRUE) AS d
    FROM t ORDER BY i
"""
FULL = "the prompt is longer than the context of 100 tokens"
NO_ROOM = "the prompt and its answer are longer than the pages of key-value state hold"


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(ANSWERS, default="none", context_length=100))
    connection.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    store(connection, ["good"])
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def query(con: Connection) -> CompiledQuery:
    """One program for all tests of this module that run it."""
    return con.compile(QUERY)


def store(con: Connection, texts: Sequence[str | None]) -> None:
    con.execute("DELETE FROM t")
    con.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[*pair] for pair in enumerate(texts)])


def answers(query: CompiledQuery) -> list[tuple[str | None, str | None]]:
    return [(d["value"], d["error"]) for _, d in query.run().fetchall()]


def test_null_is_skipped_and_blank_is_evaluated(con: Connection, query: CompiledQuery) -> None:
    store(con, ["good", None, "", " ", "\n"])
    result = query.run()
    said = [(i, d["value"], d["error"]) for i, d in result.fetchall()]
    assert said == [
        (0, "fine", None),
        (1, None, None),
        (2, "none", None),
        (3, "none", None),
        (4, "none", None),
    ]
    assert result.report.calls == 4


def test_equal_prompts_are_asked_once(con: Connection, query: CompiledQuery) -> None:
    store(con, ["good", "bad", "good", None, "bad", "good"])
    result = query.run()
    said = [d["value"] for _, d in result.fetchall()]
    assert said == ["fine", "", "fine", None, "", "fine"]
    assert result.report.calls == 2


def test_a_text_ends_at_an_end_token_or_after_max_tokens(
    con: Connection, query: CompiledQuery
) -> None:
    store(con, ["good", "long", "bad"])
    assert answers(query) == [("fine", None), ("01234567", None), ("", None)]


def test_a_prompt_over_the_context_is_null_and_the_others_go_on(
    con: Connection, query: CompiledQuery
) -> None:
    fits = 100 - len("q ") - 8
    texts = ["good", "good" * 40, "bad", "x" * (fits + 1), "x" * fits]
    store(con, texts)
    want = [("fine", None), (None, FULL), ("", None), (None, FULL), ("none", None)]
    assert answers(query) == want


def test_t28_markers_in_data_are_data(con: Connection, query: CompiledQuery) -> None:
    store(con, ["<|end|>", "x <|end|> {x}", "'good'", "a.png"])
    assert [value for value, _ in answers(query)] == ["no", "no", "fine", "none"]


def test_other_rows_need_no_other_program(con: Connection, query: CompiledQuery) -> None:
    store(con, ["good", "bad"])
    query.run()
    store(con, ["bad", "long", "good", "neither"])
    result = query.run()
    assert [d["value"] for _, d in result.fetchall()] == ["", "01234567", "fine", "none"]
    assert result.report.traces == 0


@pytest.mark.parametrize("budget", [1, 3])
def test_slices_of_any_budget_give_the_same_answers(
    con: Connection, query: CompiledQuery, budget: int
) -> None:
    store(con, ["good", "long", None, "bad", "neither"])
    sliced = replace(query._for({}), budget=budget)
    rows = Result(sliced.run(), con.duckdb).fetchall()
    assert rows == query.run().fetchall()


def run_often(query: CompiledQuery) -> None:
    for _ in range(200):
        query.run()


@pytest.mark.usefixtures("_interrupts")
def test_ctrl_c_in_the_middle_leaves_the_connection_usable(
    con: Connection, query: CompiledQuery
) -> None:
    store(con, ["good", "long", "bad"])
    seen: list[int] = []

    def interrupt(progress: object) -> None:
        seen.append(1)
        if len(seen) == 2:
            threading.Thread(target=_thread.interrupt_main).start()

    query._on_progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        run_often(query)
    query._on_progress = None
    assert answers(query) == [("fine", None), ("01234567", None), ("", None)]


def test_on_error_raise_names_row_and_reason(con: Connection) -> None:
    store(con, ["good", "good" * 40, "bad", "long", "neither"])
    call = "SELECT AI_GENERATE(('q ', x), max_tokens => 8, on_error => 'raise') FROM t"
    with pytest.raises(RowError, match=rf"AI_GENERATE failed on row 2 \('good.*{FULL}"):
        con.sql(call).fetchall()


@pytest.mark.slow
def test_max_error_ratio_bounds_the_share_of_failures(con: Connection) -> None:
    store(con, ["good", "good" * 40, "bad", "long", "neither"])
    query = con.compile(
        "SELECT AI_GENERATE(('q ', x), max_tokens => 8, max_error_ratio => 0.2) FROM t"
    )
    assert len(query.run().fetchall()) == 5
    store(con, ["good", "good" * 40, "bad", "long"])
    with pytest.raises(RowError, match=r"1 of 4 rows, more than 0\.2; row 2"):
        query.run()


@pytest.mark.slow
def test_rows_wait_for_pages_and_one_that_needs_too_many_is_null(
    monkeypatch: pytest.MonkeyPatch, fake: Open
) -> None:
    monkeypatch.setattr(operators, "PAGE_BYTES", 5 * 16 * 4)
    con = fake(ANSWERS, default="none")
    con.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    kinds = ["good", "long", "bad" + "x" * 40, "neither", "good" + "y" * 90]
    texts = [f"{kinds[i % 5]}{i}" for i in range(40)]
    store(con, [*texts])
    said = ["fine", "01234567", "", "none"]
    want = [(None, NO_ROOM) if i % 5 == 4 else (said[i % 5], None) for i in range(40)]
    assert answers(con.compile(QUERY)) == want


@pytest.mark.slow
def test_more_rows_than_lanes(monkeypatch: pytest.MonkeyPatch, fake: Open) -> None:
    monkeypatch.setattr(operators, "MOST_LANES", 8)
    con = fake(ANSWERS, default="none")
    con.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    kinds = ["good", "long", "bad", "neither"]
    store(con, [f"{kinds[i % 4]} {i}" for i in range(200)])
    said = ["fine", "01234567", "", "none"]
    result = con.compile(QUERY).run()
    assert [d["value"] for _, d in result.fetchall()] == [said[i % 4] for i in range(200)]
    assert result.report.calls == 200


@pytest.mark.slow
def test_a_written_text_may_be_longer_than_any_other_text(fake: Open) -> None:
    con = fake({"zok": "yes", "good": "z" * 300 + "ok"}, default="none")
    con.execute("CREATE TABLE t AS SELECT 'good' AS x")
    sql = "SELECT AI_GENERATE(a, max_tokens => 8) AS b, AI_IF(a) AS c FROM "
    assert con.sql(sql + "(SELECT AI_GENERATE(x, max_tokens => 400) AS a FROM t)").fetchall() == [
        ("yes", True)
    ]
