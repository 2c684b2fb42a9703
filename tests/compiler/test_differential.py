"""The same text in sqlax and in DuckDB, which has macros that answer as the fake model does.

The queries stand in `differential/*.sql`: a line `-- name`, then the query.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlax
from sqlax.compiler.placement import Mode
from sqlax.connection import Connection
from sqlax.errors import DataError, UnsupportedError
from sqlax.models.fake import FakeModel
from sqlax.result import Result
from tests.fuzz.eager import execution

pytestmark = pytest.mark.usefixtures("compile_quickly")

FOLDER = Path(__file__).parent / "differential"
TOPICS = ("expressions", "filters", "aggregates", "lists", "joins", "shapes", "unnest")
CSV = "id,amount,day,x\n1,1.5,2024-01-01,good\n2,2.5,2024-02-01,bad\n3,0.5,,good\n4,3,2024-03-01,\n"


@dataclass(frozen=True)
class Case:
    """One query of the folder."""

    name: str
    sql: str


def cases(topics: Iterable[str] = TOPICS) -> Iterator[Case]:
    for topic in topics:
        text = (FOLDER / f"{topic}.sql").read_text(encoding="utf-8")
        for block in re.split(r"\n\n+", text.strip())[1:]:
            name, _, sql = block.partition("\n")
            yield Case(f"{topic}: {name.removeprefix('-- ')}", sql)


@dataclass
class Engines:
    """DuckDB with macros, and sqlax in both modes over the same tables."""

    duckdb: duckdb.DuckDBPyConnection
    model: FakeModel
    sqlax: dict[Mode, Connection]
    csv: Path
    known: dict[str, list[tuple[Any, ...]]]

    def text(self, case: Case) -> str:
        """The case's query over a file that exists."""
        return case.sql.replace("{csv}", str(self.csv))


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    csv = tmp_path_factory.mktemp("csv") / "amounts.csv"
    csv.write_text(CSV, encoding="utf-8")
    tables = (FOLDER / "tables.sql").read_text(encoding="utf-8")
    oracle = duckdb.connect()
    oracle.execute(tables)
    oracle.execute((FOLDER / "macros.sql").read_text(encoding="utf-8"))
    model = FakeModel({"odd": "maybe", "good": 1.0}, default=0.0)
    database = duckdb.connect()
    database.execute(tables)
    modes: dict[Mode, Connection] = {
        mode: sqlax.connect(database.cursor(), model=model, mode=mode)
        for mode in ("graph", "hybrid")
    }
    yield Engines(oracle, model, modes, csv, {})
    for connection in (oracle, database):
        connection.close()


@pytest.mark.parametrize("mode", ["graph", "hybrid"])
@pytest.mark.parametrize("case", [*cases()], ids=lambda case: case.name)
def test_equals_duckdb(engines: Engines, case: Case, mode: Mode) -> None:
    """Names, types and rows are DuckDB's own; `hybrid` is compiled, `graph` is not, to be quick."""
    sql = engines.text(case)
    expected = engines.duckdb.sql(sql)
    query = engines.sqlax[mode].compile(sql)
    placed = query.explain()
    if placed in engines.known:
        return  # both modes have one plan, and it was run
    run = execution(query.plan(), engines.model, compiled=mode == "hybrid")
    result = Result(run.run(), engines.sqlax[mode].duckdb)
    rows = engines.known[placed] = result.fetchall()
    assert result.types == [str(kind) for kind in expected.types]
    assert result.columns == expected.columns
    ordered = re.search(r"ORDER BY (?!.*\))[^()]*$", sql) is not None
    assert canonical(rows, ordered) == canonical(expected.fetchall(), ordered)


@pytest.mark.parametrize(
    ("sql", "parameters", "names"),
    [
        (
            "SELECT id, g + ? AS a, s = ? AS b, AI_IF(x) AS p FROM t WHERE AI_IF(x) OR id < ?",
            [10, "b", 5],
            ["1", "2", "3"],
        ),
        (
            "SELECT id, COALESCE(g, $least) AS a, m * $f AS c, day > $day AS d, $s AS e FROM t"
            " WHERE AI_IF(x) IS NOT DISTINCT FROM $yes AND b < $most",
            {"least": -1, "f": 1.5, "day": dt.date(2000, 1, 1), "s": "é", "yes": None, "most": 99},
            [],
        ),
    ],
    ids=["by place", "by name"],
)
def test_parameters(engines: Engines, sql: str, parameters: Any, names: list[str]) -> None:
    expected = engines.duckdb.sql(sql, params=parameters)
    result = engines.sqlax["graph"].compile(sql, parameters).run()
    assert result.columns == expected.columns
    assert canonical(result.fetchall(), False) == canonical(expected.fetchall(), False)


OUT_OF_RANGE = [
    "h * 10000::SMALLINT",
    "b + 4611686018427387904",
    "b * 2 // (g - 2)",
    "g % (id - 4)",
    "(b / 1e9)::INTEGER",
    "(m * 100)::DECIMAL(4,2)",
    "CASE WHEN f THEN id // (id - 4) ELSE 0 END",
    "d::BIGINT",
    "-((id * 8192)::SMALLINT)",
]


@pytest.mark.parametrize("value", OUT_OF_RANGE)
def test_what_leaves_its_range_is_an_error(engines: Engines, value: str) -> None:
    sql = f"SELECT AI_IF(x) AS p, {value} AS v FROM t WHERE id = 4"
    with pytest.raises(duckdb.Error):
        engines.duckdb.sql(sql).fetchall()
    with pytest.raises(DataError):
        engines.sqlax["graph"].sql(sql).fetchall()


def test_the_edges_of_a_range_are_inside_it(engines: Engines) -> None:
    sql = """
        SELECT id, AI_IF(x) AS p, b + 4611686018427387903 AS top, -4611686018427387904 - b AS low,
            (id + 123)::TINYINT AS t, (-(id + 124))::TINYINT AS u, b = 4.5 AS e, b > 0.5 AS g,
            CASE WHEN id <> 4 THEN 1 // (id - 4) END AS lazy, COALESCE(h, 1 // (id - 4)) AS first,
            99.99::DECIMAL(4,2) AS m, m::DECIMAL(4,2) AS n
        FROM t WHERE id = 4
    """
    expected = engines.duckdb.sql(sql).fetchall()
    assert engines.sqlax["graph"].sql(sql).fetchall() == expected


STAGED = [
    "SELECT id, CASE WHEN AI_IF(x) THEN l END AS c FROM kinds",
    "SELECT p, COALESCE(uu, uu) AS c FROM (SELECT *, AI_IF(x) AS p FROM kinds)",
    "SELECT DISTINCT uu, AI_IF(x) AS p FROM kinds",
    "SELECT uu, COUNT(*) FROM kinds WHERE AI_IF(x) GROUP BY uu",
    "FROM kinds k JOIN (SELECT uu, AI_IF(x) AS p FROM kinds) USING (uu) SELECT k.id, p",
    "SELECT id FROM kinds WHERE AI_IF(x) ORDER BY iv, AI_SCORE(x)",
    "SELECT id, s || '!' || CAST(AI_IF(x) AS VARCHAR) AS c FROM t",
    "SELECT g, MAX(id, 2) FROM t WHERE AI_IF(x) GROUP BY g",
    "SELECT AI_IF(CAST(AI_IF(x) AS VARCHAR) || s) AS p FROM t",
    "SELECT id FROM t WHERE CASE WHEN s || x > 'b' THEN AI_IF(x) END",
]


@pytest.mark.parametrize("mode", ["graph", "hybrid"])
@pytest.mark.parametrize("sql", STAGED)
def test_what_the_graph_lacks_runs_in_duckdb(engines: Engines, sql: str, mode: Mode) -> None:
    expected = engines.duckdb.sql(sql)
    result = engines.sqlax[mode].compile(sql).run()
    assert result.types == [str(kind) for kind in expected.types]
    assert canonical(result.fetchall(), False) == canonical(expected.fetchall(), False)


def test_explain_names_the_stage_and_its_reason(engines: Engines) -> None:
    text = engines.sqlax["hybrid"].compile(STAGED[2]).explain()
    assert (
        "STAGE sqlax_stage_1: DuckDB runs what follows (DISTINCT over a value of type UUID)" in text
    )


def test_a_share_of_the_rows_is_no_limit(engines: Engines) -> None:
    with pytest.raises(UnsupportedError, match="LIMIT"):
        engines.sqlax["graph"].sql("SELECT id FROM t WHERE AI_IF(x) LIMIT 50%")


def canonical(rows: list[tuple[Any, ...]], ordered: bool) -> list[str]:
    """Rows as texts that are equal where SQL values are; sorted unless their order counts."""
    texts = [repr([_plain(value) for value in row]) for row in rows]
    return texts if ordered else sorted(texts)


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return "NaN" if math.isnan(value) else float(f"{value:.12g}") + 0.0
