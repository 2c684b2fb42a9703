"""The same text in sqlax and in DuckDB, which has macros that answer as the fake model does.

The queries stand in `differential/*.sql`: a line `-- name`, then the query.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlax
from sqlax.compiler.placement import Mode
from sqlax.connection import Connection
from sqlax.models.fake import FakeModel

FOLDER = Path(__file__).parent / "differential"
TOPICS = ("expressions", "filters", "aggregates", "joins", "shapes")
CSV = "id,amount,day,x\n1,1.5,2024-01-01,good\n2,2.5,2024-02-01,bad\n3,0.5,,good\n4,3,2024-03-01,\n"


@dataclass(frozen=True)
class Case:
    """One query of the folder."""

    name: str
    sql: str


def cases() -> Iterator[Case]:
    for topic in TOPICS:
        text = (FOLDER / f"{topic}.sql").read_text(encoding="utf-8")
        for block in re.split(r"\n\n+", text.strip())[1:]:
            name, _, sql = block.partition("\n")
            yield Case(f"{topic}: {name.removeprefix('-- ')}", sql)


@dataclass
class Engines:
    """DuckDB with macros, and sqlax in both modes over the same tables."""

    duckdb: duckdb.DuckDBPyConnection
    sqlax: dict[Mode, Connection]
    csv: Path
    known: dict[str, list[tuple[Any, ...]]]

    def text(self, case: Case) -> str:
        return case.sql.replace("{csv}", str(self.csv))


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    csv = tmp_path_factory.mktemp("csv") / "amounts.csv"
    csv.write_text(CSV, encoding="utf-8")
    tables = (FOLDER / "tables.sql").read_text(encoding="utf-8")
    oracle = duckdb.connect()
    oracle.execute(tables)
    oracle.execute((FOLDER / "macros.sql").read_text(encoding="utf-8"))
    model = FakeModel({"odd": "maybe", "good": 0.75, "pos": 0.25}, default=0.25)
    database = duckdb.connect()
    database.execute(tables)
    modes: dict[Mode, Connection] = {
        mode: sqlax.connect(database.cursor(), model=model, mode=mode)
        for mode in ("graph", "hybrid")
    }
    yield Engines(oracle, modes, csv, {})
    for connection in (oracle, database):
        connection.close()


@pytest.mark.parametrize("mode", ["graph", "hybrid"])
@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_equals_duckdb(engines: Engines, case: Case, mode: Mode) -> None:
    sql = engines.text(case)
    expected = engines.duckdb.sql(sql)
    query = engines.sqlax[mode].compile(sql)
    placed = query.explain()
    if placed in engines.known:
        return  # both modes have one plan
    result = query.run()
    rows = engines.known[placed] = result.fetchall()
    assert result.types == [str(kind) for kind in expected.types]
    assert result.columns == expected.columns
    ordered = re.search(r"ORDER BY (?!.*\))[^()]*$", sql) is not None
    assert canonical(rows, ordered) == canonical(expected.fetchall(), ordered)


def canonical(rows: list[tuple[Any, ...]], ordered: bool) -> list[str]:
    """Rows as texts that are equal where SQL values are; sorted unless their order counts."""
    texts = [repr([_plain(value) for value in row]) for row in rows]
    return texts if ordered else sorted(texts)


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return "NaN" if math.isnan(value) else float(f"{value:.12g}") + 0.0
