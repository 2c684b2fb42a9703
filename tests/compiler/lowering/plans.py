"""Plans over small tables, run by the lowering and, as SQL, by DuckDB."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import duckdb
import jax
import jax.numpy as jnp
import numpy as np
import sqlglot
from sqlglot import exp

from sqlax.compiler.lowering.environment import Environment
from sqlax.compiler.lowering.relational import Relational
from sqlax.compiler.lowering.support import dtype_of
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node, Scan, SortItem
from sqlax.compiler.plan.schema import Field, Kind, Schema, decimal_scale
from sqlax.runtime.relation import Column, Relation, bounds_of, bucket

Rows: TypeAlias = list[tuple[Any, ...]]


def parse(text: str) -> exp.Expr:
    """A SQL expression whose columns are fields of a plan."""
    found: exp.Expr
    (found,) = sqlglot.parse_one(f"SELECT {text}", read="duckdb").expressions
    return found


def ascending(text: str, *, descending: bool = False, nulls_first: bool = False) -> SortItem:
    """A sort key."""
    return SortItem(parse(text), descending, nulls_first)


@dataclass
class Tables:
    """Tables in DuckDB, and plans over them on the device.

    Attributes:
        connection: holds the tables.
        texts: every string that a plan may meet, in order.
        bounded: whether loaded columns have bounds.
        least: the least capacity of a table.
        reports: conditions that the last run reported, as one.
        runs: how often the last plan was run until no join was short.
    """

    connection: duckdb.DuckDBPyConnection
    texts: list[str]
    bounded: bool = False
    least: int = 8
    reports: bool = False
    runs: int = 0

    @cached_property
    def catalog(self) -> Catalog:
        """DuckDB's types."""
        return Catalog(self.connection)

    def scan(self, table: str, order: str = "at_") -> Scan:
        """All columns of a table, in the order of one."""
        sql = f"SELECT * FROM {table} ORDER BY {order}"
        return Scan(Schema(self.catalog.describe(sql)), sql)

    def fields(self, names: Iterable[str], values: Iterable[exp.Expr], schema: Schema) -> Schema:
        """Fields for computed values, with DuckDB's types."""
        types = self.catalog.types_of(list(values), schema)
        return Schema(tuple(Field(n, t) for n, t in zip(names, types, strict=True)))

    def run(self, plan: Node) -> Rows:
        """The plan's rows, in order, run again with more slots as the host does.

        Operation by operation: compiling each of many small plans would take a second each.
        """
        scans = [node for node in plan.walk() if isinstance(node, Scan)]
        capacities: dict[Any, int] = {}
        with jax.enable_x64(True), jax.disable_jit():
            loaded = {scan: self.load(scan) for scan in scans}
            for self.runs in range(1, 4):
                rows = self.evaluator(loaded, capacities)
                found = rows.evaluate(plan)
                short = {node: bucket(int(n), 8) for node, n in rows.needed.items() if int(n) > 0}
                if not short:
                    break
                capacities |= short
            self.reports = any(bool(condition) for condition in rows.environment.overflow)
        assert not short, "a join stays short of slots"
        return self.read(found, plan.schema)

    def evaluator(self, loaded: dict[Scan, Relation], capacities: dict[Any, int]) -> Relational:
        """The evaluator of plans over loaded tables."""
        environment = Environment(lambda text: jnp.asarray(self.texts.index(text), jnp.int32))

        def answers(rows: Relational, node: Node) -> Relation:
            return rows.evaluate(node.inputs[0])

        made = Relational(self.catalog, {}, capacities, environment, answers)
        made.memo.update(loaded.items())
        return made

    def load(self, scan: Scan) -> Relation:
        """A scan's rows on the device, garbage where NULL or where no row exists."""
        rows = self.connection.sql(scan.sql).fetchall()
        capacity = bucket(len(rows), self.least)
        values = list(zip(*rows, strict=True)) or [()] * len(scan.schema.fields)
        columns = {
            f.name: self._column(f, given, capacity)
            for f, given in zip(scan.schema.fields, values, strict=True)
        }
        return Relation(columns, jnp.arange(capacity) < len(rows))

    def _column(self, of: Field, values: tuple[Any, ...], capacity: int) -> Column:
        data = np.full(capacity, 1, dtype_of(of))
        valid = np.zeros(capacity, bool)
        for place, value in enumerate(values):
            valid[place] = value is not None
            if value is not None:
                data[place] = self.device_value(value, of)
        bounds = bounds_of(data, valid) if self.bounded else None
        low, bits = bounds if bounds is not None else (None, None)
        found = None if low is None else jnp.asarray(low)
        return Column(jnp.asarray(data), jnp.asarray(valid), found, bits)

    def device_value(self, value: Any, of: Field) -> Any:
        """A value as the device holds it."""
        if of.kind is Kind.STRING:
            return self.texts.index(value)
        if of.kind is Kind.DECIMAL:
            return int(decimal.Decimal(value).scaleb(decimal_scale(of.type)))
        if of.kind is Kind.DATE:
            return (value - dt.date(1970, 1, 1)).days
        if of.kind is Kind.TIMESTAMP:
            return (value - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
        return value

    def read(self, found: Relation, schema: Schema) -> Rows:
        """The rows that exist, as DuckDB's client would give them."""
        mask = np.asarray(found.mask)
        columns = []
        for of in schema.fields:
            column = found.columns[of.name]
            data, valid = np.asarray(column.data)[mask], np.asarray(column.valid)[mask]
            self._check_bounds(column)
            columns.append(
                [self._value(v, of) if ok else None for v, ok in zip(data, valid, strict=True)]
            )
        return list(zip(*columns, strict=True))

    @staticmethod
    def _check_bounds(column: Column) -> None:
        if column.bits is not None and column.low is not None:
            data = np.asarray(column.data).astype(object)[np.asarray(column.valid)]
            assert all(0 <= v - int(column.low) < 1 << column.bits for v in data)

    def _value(self, value: Any, of: Field) -> Any:
        if of.kind is Kind.STRING:
            return self.texts[int(value)]
        if of.kind is Kind.DECIMAL:
            return decimal.Decimal(int(value)).scaleb(-decimal_scale(of.type))
        if of.kind is Kind.DATE:
            return dt.date(1970, 1, 1) + dt.timedelta(days=int(value))
        if of.kind is Kind.TIMESTAMP:
            return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=int(value))
        return value.item()

    def sql(self, text: str) -> Rows:
        """What DuckDB answers."""
        return self.connection.sql(text).fetchall()


def assert_same(found: Rows, expected: Rows) -> None:
    """Equal rows in equal order; floats to twelve digits."""
    assert list(map(_plain, found)) == list(map(_plain, expected))


def assert_same_set(found: Rows, expected: Rows) -> None:
    """Equal rows in any order."""
    assert sorted(map(_plain, found)) == sorted(map(_plain, expected))


def _plain(row: tuple[Any, ...]) -> list[str]:
    return [_number(v) if isinstance(v, float) else repr(v) for v in row]


def _number(value: float) -> str:
    return repr(value) if math.isnan(value) else f"{value + 0.0:.11e}"
