"""The queries of this folder: one file a topic, each query ends with a semicolon."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
TABLES = (FOLDER / "tables.sql").read_text("utf-8")
_COMMENT = re.compile(r"^--.*$", re.MULTILINE)
_LAST_ORDER = re.compile(r"ORDER BY (?!.*\))[^()]*$")


@dataclass(frozen=True)
class Case:
    """One query.

    Attributes:
        name: its topic and its place in the topic's file, from 1.
        sql: its text.
    """

    name: str
    sql: str

    @property
    def ordered(self) -> bool:
        """Whether the order of its rows counts."""
        return _LAST_ORDER.search(self.sql) is not None


def cases(topic: str) -> Iterator[Case]:
    """The queries of a topic."""
    text = _COMMENT.sub("", (FOLDER / f"{topic}.sql").read_text("utf-8"))
    queries = (query.strip() for query in text.split(";\n"))
    for place, sql in enumerate(filter(None, queries), start=1):
        yield Case(f"{topic} {place}", sql)


def topics() -> list[str]:
    """The files that hold queries with rows."""
    names = sorted(path.stem for path in FOLDER.glob("*.sql"))
    return [name for name in names if name not in ("tables", "errors", "partitioning")]
