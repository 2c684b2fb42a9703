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
