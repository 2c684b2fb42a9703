"""AI_CLASSIFY over labels of more than a kilobyte, which are written instead of scored."""

from __future__ import annotations

import pytest

from sqlax.compiler.sql.generation import MOST_LABEL_BYTES
from sqlax.connection import Connection
from sqlax.relation import Relation
from tests.surface.conftest import Open

pytestmark = pytest.mark.usefixtures("compile_quickly")

MANY = [f"label {i}" for i in range(300)]
LONG = [f"{name}, {'which is said at length and ' * 6}ends" for name in ("art", "news", "sport")]
LONG += [f"{text}, or not" for text in LONG]
TEXTS = ["first", "middle", "last", "none of them", "silent", None]


def asked(fake: Open, labels: list[str]) -> Relation:
    """Three texts whose label the model says, two of which it says nothing that is a label."""
    said = {"first": labels[0], "middle": labels[len(labels) // 2], "last": labels[-1]}
    con = fake({**said, "none": "elsewhere"}, default="")
    stored(con)
    return con.sql(f"SELECT AI_CLASSIFY(x, {labels}) AS c FROM t ORDER BY i")


def stored(con: Connection) -> None:
    con.execute("CREATE TABLE t (i INTEGER, x VARCHAR)")
    con.duckdb.executemany("INSERT INTO t VALUES (?, ?)", [[*pair] for pair in enumerate(TEXTS)])


@pytest.mark.parametrize("labels", [MANY, LONG], ids=["many", "long"])
def test_the_answer_is_the_label_that_the_model_says(fake: Open, labels: list[str]) -> None:
    assert sum(len(label.encode()) for label in labels) > MOST_LABEL_BYTES
    rows = asked(fake, labels)
    assert rows.types == ["VARCHAR"]
    *answers, null = [label for (label,) in rows.fetchall()]
    assert answers[:3] == [labels[0], labels[len(labels) // 2], labels[-1]]
    assert {*answers} <= {*labels}
    assert null is None
    (operator,) = rows.report.operators
    assert operator.written is not None
    assert operator.calls == 5


def test_labels_below_the_bound_are_scored(fake: Open) -> None:
    few = MANY[: MOST_LABEL_BYTES // len(MANY[-1])]
    rows = asked(fake, few)
    answers = [label for (label,) in rows.fetchall()]
    assert answers == [few[0], few[len(few) // 2], few[-1], None, None, None]
    (operator,) = rows.report.operators
    assert operator.written is None
