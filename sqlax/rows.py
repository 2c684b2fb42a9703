"""Reading rows: the methods that relations and results share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Rows(ABC):
    """Rows that can be read in any form; every method reads the same rows."""

    @property
    @abstractmethod
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The rows as a DuckDB relation."""

    @property
    def columns(self) -> list[str]:
        """Column names."""
        return list(self.relation.columns)

    @property
    def types(self) -> list[str]:
        """DuckDB type of each column."""
        return [str(kind) for kind in self.relation.types]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows as Python values."""
        return self.relation.fetchall()

    def fetchone(self) -> tuple[Any, ...] | None:
        """The first row, or None."""
        return next(iter(self.relation.limit(1).fetchall()), None)

    def df(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        frame: pd.DataFrame = self.relation.df()
        return frame

    def pl(self) -> pl.DataFrame:
        """The rows as a Polars data frame."""
        frame: pl.DataFrame = self.relation.pl()
        return frame

    def arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self.relation.to_arrow_table()

    def show(self, **options: Any) -> None:
        """Print the rows as DuckDB prints a relation."""
        self.relation.show(**options)

    def __repr__(self) -> str:
        return repr(self.relation)
