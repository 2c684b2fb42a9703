"""Rows that begin with the same text read it once; their answers are those of rows alone."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.kvcache.pages import check
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.state import ProgramState
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


def test_answers_are_those_of_the_prompts_alone(con: Connection) -> None:
    together = con.sql(f"SELECT d, q, {CALL} AS a FROM docs, questions").fetchall()
    assert len({answer for *_, answer in together}) >= 4
    for document, question, answer in together:
        alone = con.sql(
            f"SELECT {CALL} FROM docs, questions WHERE d = $d AND q = $q",
            {"d": document, "q": question},
        )
        assert alone.fetchall() == [(answer,)]


def states(con: Connection, sql: str) -> Iterator[ProgramState]:
    """The state after each morsel."""
    execution = con.compile(sql)._for({})
    with jax.enable_x64(True):
        assembly = execution.assembly(execution.load())
        program = execution.program(assembly)
        yield from program.slices(
            assembly.inputs(), lambda _: pytest.fail("no other window is needed"), budget=1
        )


def test_every_page_is_free_or_held_after_every_turn(con: Connection) -> None:
    """Some pages have several holders on the way; in the end none has any."""
    holders = []
    for state in states(con, f"SELECT {CALL} AS a FROM docs, questions"):
        (operator,) = state.operators
        assert isinstance(operator, GenerateState)
        if int(operator.todo):
            assert bool(check(operator.pages))
            holders.append(int(operator.pages.references.max()))
    assert max(holders) == len(QUESTIONS) - 1
    assert holders[-1] == 0


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
