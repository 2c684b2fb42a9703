"""AI_COMPLETE, AI_SUMMARIZE, AI_TRANSLATE, AI_SENTIMENT and AI_SUMMARIZE_AGG."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import sqlax
from sqlax.connection import Connection
from sqlax.errors import BindError
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

SAID: dict[str, str | float] = {
    "good\nill": "mixed",
    "good\ngood": "liked",
    "good": "positive",
    "ill": "negative",
    "so": "of two minds",
}
TABLES = """
    CREATE TABLE t (i INTEGER, x VARCHAR);
    INSERT INTO t VALUES (0, 'good'), (1, 'ill'), (2, NULL), (3, 'so');
    CREATE TABLE grouped (g INTEGER, x VARCHAR);
    INSERT INTO grouped VALUES (1, 'ill'), (1, NULL), (1, 'good'), (2, NULL), (2, NULL),
        (3, 'ill'), (NULL, 'good'), (NULL, 'good');
"""
WRITING = """
    SELECT AI_COMPLETE(('q ', x), max_tokens => 16) AS c,
        AI_GENERATE(('q ', x), max_tokens => 16) AS g,
        AI_SUMMARIZE(x, max_tokens => 8) AS s,
        AI_TRANSLATE(x, 'French', max_tokens => 16) AS t
    FROM t ORDER BY i
"""


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    connection = sqlax.connect(model=FakeModel(SAID, default=""))
    connection.execute(TABLES)
    yield connection
    connection.close()


def test_functions_that_write_return_the_models_text(con: Connection) -> None:
    """AI_COMPLETE is AI_GENERATE: equal calls are asked once."""
    rows = con.sql(WRITING)
    assert rows.types == ["VARCHAR"] * 4
    assert rows.fetchall() == [
        (said, said, said and said[:8].strip(), said)
        for said in ("positive", "negative", None, "of two minds")
    ]
    assert [operator.calls for operator in rows.report.operators] == [3, 3, 3]
    assert rows.errors == ()


def test_a_sentiment_is_one_of_three_labels_or_null(con: Connection) -> None:
    rows = con.sql("SELECT AI_SENTIMENT(x) AS s FROM t ORDER BY i")
    assert rows.types == ["VARCHAR"]
    assert rows.fetchall() == [("positive",), ("negative",), (None,), (None,)]
    (failure,) = rows.errors
    assert (failure.row, failure.text) == (4, "so")


def test_a_sentiment_is_a_classification(con: Connection) -> None:
    labels = "['positive', 'negative', 'neutral']"
    rows = con.sql(f"SELECT AI_SENTIMENT(x) AS s, AI_CLASSIFY(x, {labels}) AS c FROM t")
    assert all(s == c for s, c in rows.fetchall())
    assert [operator.calls for operator in rows.report.operators] == [3]


def test_a_translation_needs_a_language(con: Connection) -> None:
    with pytest.raises(BindError, match="AI_TRANSLATE needs language, such as 'French'"):
        con.sql("SELECT AI_TRANSLATE(x) FROM t")


def test_a_group_has_one_summary_and_a_group_of_nulls_has_none(con: Connection) -> None:
    query = con.compile(
        "SELECT g, AI_SUMMARIZE_AGG(x, max_tokens => 12) AS s, COUNT(*) AS n FROM grouped"
        " GROUP BY g ORDER BY g NULLS LAST"
    )
    first, again = query.run(), query.run()
    want = [(1, "mixed", 3), (2, None, 2), (3, "negative", 1), (None, "liked", 2)]
    assert first.types == ["INTEGER", "VARCHAR", "BIGINT"]
    assert first.fetchall() == again.fetchall() == want
    assert first.report.calls == again.report.calls == 3
    assert first.errors == ()
