"""DuckDB and sqlax over the tables of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import duckdb
import pytest

from sqlax.compiler.placement import Mode
from tests.fuzz.compare import Answer
from tests.fuzz.engines import answer
from tests.fuzz.oracle import answer_of, first_line
from tests.relational.cases import TABLES


@dataclass(frozen=True)
class Engines:
    """Two databases with the same tables."""

    oracle: duckdb.DuckDBPyConnection
    database: duckdb.DuckDBPyConnection

    def expected(self, sql: str) -> Answer:
        """DuckDB's answer."""
        try:
            return answer_of(self.oracle.sql(sql))
        except duckdb.Error as error:
            return Answer(error=first_line(error))

    def answer(self, sql: str, mode: Mode, *, compiled: bool = False) -> Answer:
        """The answer of sqlax; evaluated operation by operation unless `compiled`."""
        return answer(self.database, sql, mode, compiled=compiled)


@pytest.fixture(scope="package")
def engines() -> Iterator[Engines]:
    """DuckDB and sqlax, each with its own copy of the tables."""
    with duckdb.connect() as oracle, duckdb.connect() as database:
        for connection in (oracle, database):
            connection.execute(TABLES)
        yield Engines(oracle, database)
