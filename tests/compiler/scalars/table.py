"""An expression over a table, evaluated as a compiled query would, but without compiling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb
import jax
import jax.numpy as jnp
import numpy as np
import pyarrow as pa
import sqlglot
from sqlglot import exp

from sqlax.compiler.lowering.columns import RunColumns, loading_sql
from sqlax.compiler.lowering.constants import string_constants
from sqlax.compiler.lowering.environment import Environment, Typed
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.map_sites import map_sites
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Project, Scan
from sqlax.compiler.plan.schema import Field, Schema, decimal_scale, enum_values
from sqlax.runtime.decode import OutputColumn, arrow_column
from sqlax.runtime.relation import bucket


@dataclass(frozen=True)
class Evaluated:
    """What the graph makes of an expression.

    Attributes:
        rows: the values as DuckDB gives them back in Python.
        outside: whether a row reported that the graph cannot hold its value.
    """

    rows: list[Any]
    outside: bool


class Table:
    """A DuckDB table whose expressions are evaluated by the graph's lowering and by DuckDB."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, name: str) -> None:
        self.connection = connection
        self.name = name
        self.catalog = Catalog(connection)
        self.scan = Scan(Schema(self.catalog.describe(f"FROM {name}")), f"FROM {name}")

    def by_duckdb(self, sql: str) -> tuple[str, list[Any]]:
        """DuckDB's type and values of an expression."""
        found = self.connection.sql(f"SELECT {sql} AS v FROM {self.name}")
        return str(found.types[0]), [value for (value,) in found.fetchall()]

    def by_graph(self, sql: str) -> Evaluated:
        """The graph's values of an expression.

        Raises:
            NotLowerableError: the graph has no operation for it.
        """
        node = self._parsed(sql)
        (kind,) = self.catalog.types_of([node], self.scan.schema)
        plan = Project(Schema((Field("v", kind),)), self.scan, (node,))
        constants = string_constants(plan, self.catalog)
        loaded = {self.scan: self.connection.sql(loading_sql(self.scan)).to_arrow_table()}
        sites = map_sites(plan, self.catalog)
        columns = RunColumns(plan, self.catalog, loaded, sites, constants)
        with jax.enable_x64(True):
            value, outside = self._lowered(node, columns, bucket(len(loaded[self.scan]), 1))
        rows = [] if outside else self._decoded(value, kind, columns, len(loaded[self.scan]))
        return Evaluated(rows, outside)

    def _parsed(self, sql: str) -> exp.Expr:
        tree: exp.Expr = sqlglot.parse_one(f"SELECT {sql}", dialect="duckdb").expressions[0]
        for column in tree.find_all(exp.Column):
            column.this.set("quoted", True)
        return tree

    def _lowered(self, node: exp.Expr, columns: RunColumns, capacity: int) -> tuple[Typed, bool]:
        relation = columns.relation(self.scan, capacity)
        held, tables = jax.device_put((relation, columns.tables()))
        environment = Environment(
            lambda text: jnp.asarray(columns.dictionary.code(text), jnp.int32),
            table=lambda wanted: tables[columns.maps.index(wanted)],
        )
        lower = Expressions(held.wide(), self.scan.schema, self.catalog, environment)
        value = lower.lower(node)
        return value, any(bool(condition) for condition in environment.overflow)

    def _decoded(self, value: Typed, kind: str, columns: RunColumns, rows: int) -> list[Any]:
        assert value.type == kind or {value.type, kind} <= {"NULL", '"NULL"'}, (value.type, kind)
        labels = enum_values(kind)
        held = OutputColumn(value.kind, decimal_scale(kind), labels=labels)
        _check_bounds(value)
        data, valid = (np.asarray(part)[:rows] for part in (value.column.data, value.column.valid))
        made = arrow_column(held, data, valid, columns.dictionary)
        found = self.connection.from_arrow(pa.table({"v": made}))
        cast = found if kind in ("NULL", '"NULL"') else found.project(f"CAST(v AS {kind}) AS v")
        return [row for (row,) in cast.fetchall()]


def _check_bounds(value: Typed) -> None:
    """Whatever bounds an expression's values have hold."""
    column = value.column
    if column.bits is not None and column.low is not None:
        offsets = (np.asarray(column.data).astype(np.int64) - int(column.low))[column.valid]
        assert ((offsets >= 0) & (offsets < 1 << column.bits)).all()
