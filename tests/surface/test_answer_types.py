"""AI_GENERATE with return_type and pattern: each answer is of its form, whatever the model says."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel
from sqlax.rows import Rows

pytestmark = pytest.mark.usefixtures("compile_quickly")

SAID: dict[str, str | float] = {
    "fits int": "-42",
    "fits double": "2.5",
    "fits bool": "true",
    "fits date": "2024-02-29",
    "fits time": "2024-02-29 23:59:58",
    "fits enum": "bb",
    "fits chars": "été!",
    "fits code": "QX17",
    "fits share": "no, 35%",
    "over int": "99999999999999999999",
    "over date": "2023-02-31",
    "over": "longer than it may be, 2024-13-45",
    "words": "I think it is about twelve",
}
"""`over` is out of range or too long, `words` is of no form at all."""
TEXTS = ["fits", None, "over", "words", "silent"]
TYPES = {
    "int": "INTEGER",
    "double": "DOUBLE",
    "bool": "BOOLEAN",
    "date": "DATE",
    "time": "TIMESTAMP",
    "enum": "ENUM('a', 'bb', 'ccc')",
    "chars": "VARCHAR(5)",
}
PATTERNS = {"code": "[A-Z]{2}[0-9]+", "share": r"(yes|no), \d{1,3}%"}


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default=""))
    connection.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    connection.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[*p] for p in enumerate(TEXTS)])
    yield connection
    connection.close()


def quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def asked(con: Connection, argument: str, forms: dict[str, str]) -> Rows:
    """One column a form, all in one program."""
    calls = (
        f"AI_GENERATE((x, ' {name}'), {argument} => {quoted(form)}, max_tokens => 30) AS \"{name}\""
        for name, form in forms.items()
    )
    return con.sql(f"SELECT {', '.join(calls)} FROM t ORDER BY i")


@pytest.fixture(scope="module")
def typed(con: Connection) -> Rows:
    return asked(con, "return_type", TYPES)


def test_columns_have_their_types(typed: Rows) -> None:
    want = {**TYPES, "chars": "VARCHAR"}
    assert dict(zip(typed.columns, typed.types, strict=True)) == want


@pytest.mark.slow
def test_an_answer_of_the_type_is_the_models_own(typed: Rows) -> None:
    assert typed.fetchall()[0] == (
        -42,
        2.5,
        True,
        dt.date(2024, 2, 29),
        dt.datetime(2024, 2, 29, 23, 59, 58),
        "bb",
        "été!",
    )


@pytest.mark.slow
def test_only_a_null_prompt_has_a_null_answer(typed: Rows) -> None:
    rows = typed.fetchall()
    assert rows[1] == (None,) * len(TYPES)
    assert all(value is not None for n, row in enumerate(rows) if n != 1 for value in row)


@pytest.mark.slow
def test_other_answers_are_values_of_the_type(typed: Rows) -> None:
    for number, real, flag, day, moment, member, chars in typed.fetchall()[2:]:
        assert -(2**31) <= number < 2**31
        assert isinstance(real, float)
        assert isinstance(flag, bool)
        assert isinstance(day, dt.date)
        assert isinstance(moment, dt.datetime)
        assert member in ("a", "bb", "ccc")
        assert len(chars) <= 5


@pytest.mark.slow
def test_the_whole_answer_matches_the_pattern(con: Connection) -> None:
    rows = asked(con, "pattern", PATTERNS)
    assert rows.types == ["VARCHAR"] * len(PATTERNS)
    first, null, *others = rows.fetchall()
    assert first == ("QX17", "no, 35%")
    assert null == (None,) * len(PATTERNS)
    for row in (first, *others):
        for pattern, text in zip(PATTERNS.values(), row, strict=True):
            assert re.fullmatch(pattern, text), text
