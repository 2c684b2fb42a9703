"""Rows that a part of a plan has stored, as a scan of a later one."""

from __future__ import annotations

from dataclasses import dataclass

from sqlax.compiler.plan.catalog import quote
from sqlax.compiler.plan.held import as_sql
from sqlax.compiler.plan.nodes import Scan, Stored
from sqlax.compiler.plan.schema import Schema

_PART, _PARTIAL = "sqlax_part_", "sqlax_partial_"


@dataclass(frozen=True)
class Store:
    """Where one part of a plan leaves its rows.

    Attributes:
        number: of the part, among those of one stage.
        is_partial: whether the rows are partial results, of which no more are to be made.
    """

    number: int
    is_partial: bool = False

    @property
    def name(self) -> str:
        """The name that the rows are registered under."""
        return f"{_PARTIAL if self.is_partial else _PART}{self.number}"

    def scan(self, schema: Schema) -> Stored:
        """The scan of the rows, whose columns are called c0, c1, ..."""
        plain = as_sql(schema)
        fields = enumerate(plain.fields)
        items = (f"CAST(c{i} AS {f.type}) AS {quote(f.name)}" for i, f in fields)
        return Stored(plain, f"SELECT {', '.join(items)} FROM {self.name}", stage=self.name)


def is_partial(scan: Scan) -> bool:
    """Whether a scan reads partial results."""
    return isinstance(scan, Stored) and scan.stage.startswith(_PARTIAL)
