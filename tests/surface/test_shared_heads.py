"""Rows that begin with the same text read it once; their answers are those of rows alone."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import numpy as np
import pytest

import sqlax
from sqlax.compiler.lowering import operators
from sqlax.connection import Connection
from sqlax.kvcache.paged import PAGE
from sqlax.kvcache.pages import check
from sqlax.models.fake import FakeModel
from sqlax.runtime.generate.state import GenerateState
from tests.surface.conftest import Open
from tests.surface.test_generate_independence import random_writer

DOCUMENTS = (
    "the colour of this apple is a dark red, like that of wine",
    "a pear is yellow; nobody has seen another one anywhere yet",
    "short text",
)
QUESTIONS = ("which fruit?", "which colour?", "what else?", "", "why?")
ANSWERS: dict[str, str | float] = {
    "winewhich": "apple",
    "yetwhich": "pear",
    "wine": "wine it is",
    "short": "s",
}
CALL = "AI_GENERATE(('Read: ', d, q), raw => TRUE, max_tokens => 12)"


def fill(con: Connection) -> Connection:
    con.execute("CREATE TABLE docs (d VARCHAR)")
    con.execute("CREATE TABLE questions (q VARCHAR)")
    con.duckdb.executemany("INSERT INTO docs VALUES (?)", [[d] for d in DOCUMENTS])
    con.duckdb.executemany("INSERT INTO questions VALUES (?)", [[q] for q in QUESTIONS])
    return con


@pytest.fixture
def con(fake: Open) -> Connection:
    """Three documents, two of them long, and five questions, one of them empty."""
    return fill(fake(ANSWERS))


@pytest.fixture(scope="module")
def random_con() -> Iterator[Connection]:
    """The same, with a model that writes something else for each prompt."""
    connection = fill(sqlax.connect(model=random_writer()))
    yield connection
    connection.close()


def test_a_long_first_value_is_read_once_for_all_its_rows(con: Connection) -> None:
    result = con.sql(f"SELECT d, q, {CALL} AS a FROM docs, questions")
    (operator,) = result.report.operators
    assert operator.written is not None
    prefix, before = len("Read"), len(": ")  # where the constant in front is cut
    others = sum(1 for question in QUESTIONS if question) - 1
    shared = sum(before + len(document) for document in DOCUMENTS[:2]) * others
    assert operator.reused == shared + prefix * operator.written.texts
    pairs = [(document, question) for document in DOCUMENTS for question in QUESTIONS]
    prompts = sum(before + len(document) + len(question) for document, question in pairs)
    assert operator.tokens == prefix + prompts - shared + operator.written.tokens


@pytest.mark.slow
def test_answers_are_those_of_the_prompts_alone(con: Connection) -> None:
    together = con.sql(f"SELECT d, q, {CALL} AS a FROM docs, questions").fetchall()
    assert len({answer for *_, answer in together}) >= 4
    for document, question, answer in together:
        alone = con.sql(
            f"SELECT {CALL} FROM docs, questions WHERE d = $d AND q = $q",
            {"d": document, "q": question},
        )
        assert alone.fetchall() == [(answer,)]


def states(con: Connection, sql: str) -> Iterator[GenerateState]:
    """The operator's state after each turn of its loop."""
    execution = con.compile(sql)._for({})
    with jax.enable_x64(True):
        assembly = execution.assembly(execution.load())
        program = execution.program(assembly)
        for state in program.slices(
            assembly.inputs(), lambda _: pytest.fail("no other window is needed"), budget=1
        ):
            (operator,) = state.operators
            assert isinstance(operator, GenerateState)
            if int(operator.todo):
                yield operator


def holders(state: GenerateState) -> list[int]:
    """How many rows hold each page; the allocator must think so too."""
    held = np.bincount(np.ravel(state.lanes.table), minlength=state.pages.references.shape[0])
    held[0] = 0
    np.testing.assert_array_equal(state.pages.references, held)
    assert bool(check(state.pages))
    found: list[int] = held.tolist()
    return found


def test_every_page_has_the_holders_that_tables_name_after_every_turn(con: Connection) -> None:
    """Some pages have several on the way; in the end none has any."""
    sql = f"SELECT {CALL} AS a FROM docs, questions"
    most = [max(holders(state)) for state in states(con, sql)]
    assert max(most) == len(QUESTIONS) - 1
    assert most[-1] == 0


@pytest.mark.slow
@pytest.mark.parametrize("pages", [1024, 100], ids=["a large pool", "a small pool"])
def test_rows_that_come_while_others_write(
    fake: Open, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    """Eight lanes for 56 rows: heads of whole pages, of more than a chunk, and ones read again."""
    answers: dict[str, str | float] = {f"no {i:02}": "word " * (i % 5) + str(i) for i in range(14)}
    con = fake(answers)
    monkeypatch.setattr(operators, "MOST_LANES", 8)
    bytes_per_page = PAGE * FakeModel({}).kv_bytes_per_token
    monkeypatch.setattr(operators, "PAGE_BYTES", pages * bytes_per_page)
    before = len(": ")
    con.execute("CREATE TABLE docs (d VARCHAR)")
    for name, size in {"a": 3 * PAGE - before, "b": 57, "c": 600, "d": 14}.items():
        con.duckdb.execute("INSERT INTO docs VALUES ($d)", {"d": name * size})
    con.execute("CREATE TABLE questions (q VARCHAR)")
    con.duckdb.executemany("INSERT INTO questions VALUES (?)", [[q] for q in answers])
    call = CALL.replace("12", "40")
    most = [max(holders(state)) for state in states(con, f"SELECT {call} FROM docs, questions")]
    assert max(most) > 2
    assert most[-1] == 0
    rows = con.sql(f"SELECT q, {call} FROM docs, questions").fetchall()
    assert len(rows) == 56
    assert all(answer == answers[question] for question, answer in rows)


@pytest.mark.slow
@pytest.mark.parametrize(("options", "texts"), [("", 3), (", temperature => 20, seed => 3", 15)])
def test_texts_are_bit_equal_with_and_without_company(
    random_con: Connection, options: str, texts: int
) -> None:
    call = CALL.replace(", raw", f"{options}, raw")
    whole = random_con.sql(f"SELECT d, q, {call} AS a FROM docs, questions").fetchall()
    assert len({answer for *_, answer in whole}) >= texts
    for question in QUESTIONS:
        part = random_con.sql(
            f"SELECT d, q, {call} AS a FROM docs, questions WHERE q = $q", {"q": question}
        )
        assert sorted(part.fetchall()) == sorted(row for row in whole if row[1] == question)
