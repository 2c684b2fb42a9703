"""Joins whose condition asks the model, against every pair looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import duckdb
import pytest

from sqlax.models.fake import FakeModel
from tests.fuzz.engines import answer
from tests.surface.conftest import Open

Left: TypeAlias = tuple[int, str | None]
Right: TypeAlias = tuple[int, str | None]
Row: TypeAlias = tuple[int | None, ...]
Counts: TypeAlias = Callable[[Left, Right], bool]

LEFT: list[Left] = [(1, "cat"), (2, "dog"), (3, None), (4, ""), (5, "cat"), (6, "odd")]
RIGHT: list[Right] = [(1, "felis"), (2, "canis"), (3, None), (4, ""), (5, "felis")]
PAIRS: dict[str, str | float] = {
    "odd": "maybe",
    "cat=felis": "yes",
    "dog=canis": "yes",
    "cat=": "no",
    "=": "no",
}
ASK = "AI_IF((a.x, '=', b.y))"


def says_yes(left: Left, right: Right) -> bool:
    """What the model says of a pair; no where a part is NULL or it has no answer."""
    if left[1] is None or right[1] is None:
        return False
    text = f"{left[1]}={right[1]}"
    return next(answer for pattern, answer in PAIRS.items() if pattern in text) == "yes"


def yes(left: Left, right: Right) -> bool:
    return says_yes(left, right)


def yes_and_before(left: Left, right: Right) -> bool:
    return left[0] < right[0] and says_yes(left, right)


def yes_and_same(left: Left, right: Right) -> bool:
    return left[0] == right[0] and says_yes(left, right)


def no_or_same(left: Left, right: Right) -> bool:
    known = left[1] not in (None, "odd") and right[1] is not None
    return left[0] == right[0] or (known and not says_yes(left, right))


CONDITIONS: dict[str, Counts] = {
    ASK: yes,
    f"{ASK} AND a.id < b.id": yes_and_before,
    f"a.id = b.id AND {ASK}": yes_and_same,
    f"NOT {ASK} OR a.id = b.id": no_or_same,
}


def inner(counts: Counts) -> list[Row]:
    return [(a[0], b[0]) for a in LEFT for b in RIGHT if counts(a, b)]


def lonely_left(counts: Counts) -> list[Row]:
    return [(a[0],) for a in LEFT if not any(counts(a, b) for b in RIGHT)]


def lonely_right(counts: Counts) -> list[Row]:
    return [(b[0],) for b in RIGHT if not any(counts(a, b) for a in LEFT)]


def left(counts: Counts) -> list[Row]:
    return inner(counts) + [(*row, None) for row in lonely_left(counts)]


def right(counts: Counts) -> list[Row]:
    return inner(counts) + [(None, *row) for row in lonely_right(counts)]


def full(counts: Counts) -> list[Row]:
    return left(counts) + [(None, *row) for row in lonely_right(counts)]


def semi(counts: Counts) -> list[Row]:
    return [(a[0],) for a in LEFT if any(counts(a, b) for b in RIGHT)]


FORMS: dict[str, tuple[str, Callable[[Counts], list[Row]]]] = {
    "inner": ("SELECT a.id, b.id FROM a JOIN b ON {}", inner),
    "where": ("SELECT a.id, b.id FROM a, b WHERE {}", inner),
    "left": ("SELECT a.id, b.id FROM a LEFT JOIN b ON {}", left),
    "right": ("SELECT a.id, b.id FROM a RIGHT JOIN b ON {}", right),
    "full": ("SELECT a.id, b.id FROM a FULL JOIN b ON {}", full),
    "semi": ("SELECT a.id FROM a SEMI JOIN b ON {}", semi),
    "anti": ("SELECT a.id FROM a ANTI JOIN b ON {}", lonely_left),
    "exists": ("SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE {})", semi),
    "not exists": ("SELECT a.id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE {})", lonely_left),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("condition", CONDITIONS, ids=["pair", "order", "key", "either"])
def test_t14_a_semantic_on_equals_brute_force(condition: str, form: str) -> None:
    """In the graph, evaluated operation by operation: there are many queries."""
    text, brute_force = FORMS[form]
    with duckdb.connect() as database:
        fill(database)
        model = FakeModel(PAIRS)
        found = answer(database, text.format(condition), "graph", model=model)
    assert found.error is None
    assert by_text(found.rows) == by_text(brute_force(CONDITIONS[condition]))


@pytest.mark.parametrize("form", FORMS)
def test_t14_a_semantic_on_through_the_public_door(fake: Open, form: str) -> None:
    connection = fake(PAIRS)
    fill(connection.duckdb)
    text, brute_force = FORMS[form]
    found = connection.sql(text.format(f"{ASK} AND a.id < b.id")).fetchall()
    assert by_text(found) == by_text(brute_force(yes_and_before))


def fill(database: duckdb.DuckDBPyConnection) -> None:
    """Make the two tables."""
    for name, column, rows in (("a", "x", LEFT), ("b", "y", RIGHT)):
        database.execute(f"CREATE TABLE {name} (id INTEGER, {column} VARCHAR)")
        database.executemany(f"INSERT INTO {name} VALUES (?, ?)", rows)


def by_text(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=str)
