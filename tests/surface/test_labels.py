"""Labels of several tokens, and labels that begin one another."""

from __future__ import annotations

import pytest

from sqlax.errors import BindError
from tests.surface.conftest import Open

LABELS = ["a", "ab", "abc", "b", "a longer label"]


def test_t15_labels_that_begin_one_another_are_told_apart(fake: Open) -> None:
    con = fake({f"<{label}>": label for label in LABELS})
    con.execute("CREATE TABLE t (x VARCHAR)")
    con.duckdb.executemany("INSERT INTO t VALUES (?)", [[f"<{label}>"] for label in LABELS])
    rows = con.sql(f"SELECT x, AI_CLASSIFY(x, {LABELS}) FROM t")
    assert rows.fetchall() == [(f"<{label}>", label) for label in LABELS]


def test_t15_the_answer_is_always_one_of_the_labels_or_null(fake: Open) -> None:
    con = fake({"x": "abcd", "y": 0.9})
    con.execute("CREATE TABLE t AS SELECT unnest(['x', 'y', 'z']) AS x")
    rows = con.sql(f"SELECT AI_CLASSIFY(x, {LABELS}) FROM t")
    assert [label for (label,) in rows.fetchall()] == [None, "a", None]


def test_t22_a_label_of_several_tokens_gets_its_probability(fake: Open) -> None:
    con = fake({"film": 0.75})
    con.execute("CREATE TABLE t AS SELECT 'film' AS x")
    query = "SELECT AI_CLASSIFY(x, ['first choice', 'second choice']), AI_SCORE(('q ', x)) FROM t"
    ((label, score),) = con.sql(query).fetchall()
    assert label == "first choice"
    assert score == pytest.approx(0.75)


def test_t22_an_empty_label_is_refused(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'film' AS x")
    with pytest.raises(BindError, match="category cannot be blank"):
        con.sql("SELECT AI_CLASSIFY(x, ['a', '']) FROM t")


def test_several_labels_are_returned_as_a_list(fake: Open) -> None:
    con = fake({"film": 0.5, "sure": "news"})
    con.execute("CREATE TABLE t AS SELECT unnest(['film', 'sure', NULL]) AS x")
    query = "SELECT AI_CLASSIFY(x, ['art', 'news'], output_mode => 'multi') FROM t"
    assert con.sql(query).fetchall() == [(["art", "news"],), (["news"],), (None,)]


def test_a_scale_gives_the_expectation_of_its_values(fake: Open) -> None:
    con = fake({"fine": "4", "half": 0.5})
    con.execute("CREATE TABLE t AS SELECT unnest(['fine', 'half']) AS x")
    rows = con.sql("SELECT AI_SCORE(('Rate ', x), scale => [1, 5]) FROM t").fetchall()
    assert rows == [(4.0,), (1.5,)]


def test_more_categories_than_a_set_holds_are_refused(fake: Open) -> None:
    con = fake()
    con.execute("CREATE TABLE t AS SELECT 'film' AS x")
    labels = [f"label {i}" for i in range(63)]
    with pytest.raises(BindError, match="at most 62 categories, not 63"):
        con.sql(f"SELECT AI_CLASSIFY(x, {labels}, output_mode => 'multi') FROM t")
