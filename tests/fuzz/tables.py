"""Random tables: NULLs, duplicates, no rows, and as many rows as a capacity bucket's edge."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.fuzz.draw import Draw
from tests.fuzz.families import JUDGED, TYPES, UNUSUAL, USUAL

_SIZES = {0: 1.0, 1: 1.0, 2: 1.0, 5: 4.0, 9: 5.0, 16: 4.0, 40: 2.0, 255: 0.4, 256: 0.4, 257: 0.4}
_NULLS = {0.0: 4.0, 0.15: 5.0, 0.5: 1.0, 1.0: 0.3}


@dataclass(frozen=True)
class Column:
    """A column's name and SQL type."""

    name: str
    type: str


@dataclass(frozen=True)
class Table:
    """A table with its rows as SQL literals; `id` is unique and never NULL, `k` a join key."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]

    def sql(self) -> str:
        """The statements that make the table."""
        items = ", ".join(f"{c.name} {c.type}" for c in self.columns)
        create = f"CREATE TABLE {self.name} ({items});"
        if not self.rows:
            return create
        rows = ", ".join(f"({', '.join(row)})" for row in self.rows)
        return f"{create}\nINSERT INTO {self.name} VALUES {rows};"

    def with_rows(self, rows: tuple[tuple[str, ...], ...]) -> Table:
        """The same columns over other rows."""
        return replace(self, rows=rows)

    def without(self, place: int) -> Table:
        """The table without the column at a place."""
        columns = self.columns[:place] + self.columns[place + 1 :]
        rows = tuple(row[:place] + row[place + 1 :] for row in self.rows)
        return Table(self.name, columns, rows)


def random_tables(draw: Draw) -> tuple[Table, ...]:
    """Four tables whose values overlap; at most one is large."""
    tables: list[Table] = []
    for number in range(4):
        size = draw.weighed(_SIZES)
        if size > 40 and any(len(table.rows) > 40 for table in tables):
            size = 7
        tables.append(_random_table(draw, f"t{number}", size))
    return tuple(tables)


def _random_table(draw: Draw, name: str, size: int) -> Table:
    kinds = [draw.pick(list(TYPES)) for _ in range(draw.number(2, 5))]
    extra = [Column(f"{kind[0].lower()}{place}", kind) for place, kind in enumerate(kinds)]
    columns = (
        Column("id", "INTEGER"),
        Column("k", draw.pick(("INTEGER", "INTEGER", "BIGINT"))),
        *extra,
        Column("x", "VARCHAR"),
    )
    values = [_values(draw, column, size) for column in columns]
    return Table(name, columns, tuple(zip(*values, strict=True)))


def _values(draw: Draw, column: Column, size: int) -> list[str]:
    if column.name == "id":
        return [str(place) for place in range(1, size + 1)]
    usual = JUDGED if column.name == "x" else USUAL[TYPES[column.type]]
    if column.name == "k":
        usual = tuple(str(number) for number in range(max(3, size // 4)))
    nulls, odd = draw.weighed(_NULLS), 0.1 if draw.chance(0.2) and column.name[0] not in "kx" else 0
    return [_value(draw, column, usual, nulls, odd) for _ in range(size)]


def _value(draw: Draw, column: Column, usual: tuple[str, ...], nulls: float, odd: float) -> str:
    if draw.chance(nulls):
        return "NULL"
    return draw.pick(UNUSUAL[column.type]) if draw.chance(odd) else draw.pick(usual)
