"""Semantic operators of one program share the compiled body of their model."""

from __future__ import annotations

from typing import Any

import pytest

import sqlax
from sqlax.models.fake import FakeModel

pytestmark = pytest.mark.usefixtures("compile_quickly")

ANSWERS = {"good": "a", "bad": "b", "so so": "c"}
LABELS = ("['a', 'b']", "['a', 'b', 'c']", "['c', 'b', 'a', 'd', 'e']")


class Counting(FakeModel):
    """Counts how often its scoring is traced."""

    traced = 0

    def score(self, *given: Any) -> Any:
        """The same, counted."""
        self.traced += 1
        return super().score(*given)


def test_operators_with_different_numbers_of_labels_share_a_body() -> None:
    counts = [_scorings(labels) for labels in (LABELS[:1], LABELS)]
    assert counts[0] == counts[1]


def _scorings(label_lists: tuple[str, ...]) -> int:
    model = Counting(ANSWERS)
    calls = ", ".join(f"AI_CLASSIFY(x, {labels}, raw => TRUE)" for labels in label_lists)
    with sqlax.connect(model=model) as connection:
        connection.execute("CREATE TABLE t AS FROM (VALUES ('good'), ('bad')) v(x)")
        rows = connection.sql(f"SELECT {calls} FROM t").fetchall()
    assert rows == [("a",) * len(label_lists), ("b",) * len(label_lists)]
    return model.traced


class CountingRuns(FakeModel):
    """Counts how often a run over pages is traced."""

    traced = 0

    def extend(self, *given: Any) -> Any:
        """The same, counted."""
        self.traced += 1
        return super().extend(*given)


WRITING = (
    "AI_GENERATE((x, ' in a word'), max_tokens => 8)",
    "AI_GENERATE((x, ' in numbers'), return_type => 'INTEGER', max_tokens => 40)",
    "AI_GENERATE((x, ' and ', y), stop => [' so'], max_tokens => 16)",
)
WRITTEN = (("a", 12, "a"), ("b", 7, "b"), (None, None, None))


def test_operators_that_write_share_a_body_and_write_what_they_do_alone() -> None:
    """Whatever form their texts have, and however many pages a row of each needs."""
    alone = [_runs(WRITING[place : place + 1], place) for place in range(len(WRITING))]
    assert _runs(WRITING) == max(alone)


def _runs(calls: tuple[str, ...], first: int = 0) -> int:
    model = CountingRuns(
        {
            "good in a word": "a",
            "bad in a word": "b",
            "good in numbers": "12",
            "bad in numbers": "7",
            "good and one": "a so on",
            "bad and two": "b so far",
        }
    )
    with sqlax.connect(model=model) as connection:
        connection.execute(
            "CREATE TABLE t AS FROM (VALUES (1, 'good', 'one'), (2, 'bad', 'two'), (3, NULL, 'x'))"
            " v(i, x, y)"
        )
        rows = connection.sql(f"SELECT {', '.join(calls)} FROM t ORDER BY i").fetchall()
    assert rows == [row[first : first + len(calls)] for row in WRITTEN]
    return model.traced
