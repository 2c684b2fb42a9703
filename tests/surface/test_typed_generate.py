"""Constrained answers: each is a value of its type, whatever the model says, in any company."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.errors import CapacityError
from sqlax.models.fake import FakeModel
from tests.surface.conftest import Open

SAID: dict[str, str | float] = {
    "whole": '{"n":12,"s":"abc"}',
    "blank": '{ "n" :  7,\n "s": "x y" }',
    "endless": '{"n":1,"s":"' + "round and " * 40,
    "broken": "}}}}",
    "words": "I think it is about twelve",
    "short": '{"n":-5,"s":""}',
}
KINDS = [*SAID, "silent"]


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default=""))
    connection.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    texts = [f"{KINDS[i % 7]} {i} {'.' * (i * 37 % 150)}" for i in range(64)]
    connection.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[*p] for p in enumerate(texts)])
    yield connection
    connection.close()


def test_t16_tiny_max_tokens_give_a_valid_value(con: Connection) -> None:
    """The shortest answer, `{"n":0,"s":""}`, has 14 bytes, which are tokens here."""
    sql = "SELECT i, AI_GENERATE(('q ', x), schema => 'n INT, s VARCHAR', max_tokens => 16) AS v"
    rows = con.sql(f"{sql} FROM t WHERE i < 7 ORDER BY i").fetchall()
    assert len(rows) == 7
    for _, value in rows:
        assert value is not None
        assert set(value) == {"n", "s"}
        assert isinstance(value["n"], int)
        assert len(value["s"]) <= 2


def test_t16_no_answer_fits(con: Connection) -> None:
    sql = "SELECT AI_GENERATE(('q ', x), schema => 'n INT, s VARCHAR', max_tokens => 5) AS v FROM t"
    with pytest.raises(CapacityError, match="5"):
        con.sql(sql).fetchall()


def test_t16_t18_a_batch_of_64_is_cut_by_nobody(con: Connection) -> None:
    """Texts are the model's own where they are answers, without optional white space anywhere."""
    schema = '{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},'
    schema += '"required":["n","s"],"additionalProperties":false}'
    sql = f"SELECT i, AI_GENERATE(('q ', x), schema => '{schema}', max_tokens => 40) AS v FROM t"
    rows = con.sql(f"{sql} ORDER BY i").fetchall()
    assert len(rows) == 64
    for i, text in rows:
        assert re.fullmatch(r'\{"n":-?\d+,"s":"[^"]*"\}', text), text
        assert len(text) <= 40
        if KINDS[i % 7] in ("whole", "short"):
            assert text == SAID[KINDS[i % 7]]
        if KINDS[i % 7] == "endless":
            assert text == '{"n":1,"s":"round and round and round "}'


def test_t19_every_value_of_an_extraction_has_its_type(fake: Open) -> None:
    con = fake(
        {
            "cheap": '{"price":3.5,"many":2,"day":"2024-02-29","tone":"glad","ok":true}',
            "dear": '{"price":null,"many":null,"day":null,"tone":null,"ok":null}',
            "odd": '{"price":"what","many":1e9,"day":"31.12."}',
        },
        default="no idea",
    )
    con.execute(
        "CREATE TABLE t AS SELECT i, ['cheap','dear','odd','none'][1 + i % 4] || i AS x"
        " FROM range(50) r(i)"
    )
    rows = con.sql("""
        SELECT i, AI_EXTRACT(x, {'price': 'DOUBLE', 'many': 'INTEGER', 'day': 'DATE',
            'tone': 'how does the writer sound?', 'ok': 'BOOLEAN'}) AS v FROM t ORDER BY i
    """)
    kind = 'STRUCT(price DOUBLE, many INTEGER, "day" DATE, tone VARCHAR, ok BOOLEAN)'
    assert rows.types[1] == kind
    found = rows.fetchall()
    assert len(found) == 50
    assert all(value is not None for _, value in found)
    assert found[0][1]["price"] == 3.5
    assert str(found[0][1]["day"]) == "2024-02-29"
    assert set(found[1][1].values()) == {None}


def test_forced_text_may_be_longer_than_any_prompt(con: Connection) -> None:
    """A row is then cut into runs of what a chunk holds."""
    name = "is_" + "very_" * 12 + "good"
    sql = f"SELECT AI_GENERATE(x, schema => '{name} BOOLEAN') AS v FROM (SELECT 'yes' AS x)"
    ((value,),) = con.sql(sql).fetchall()
    assert set(value) == {name}
    assert isinstance(value[name], bool)
