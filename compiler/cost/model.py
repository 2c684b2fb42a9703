"""The time of a plan without semantic operators, run by DuckDB or by the graph.

DuckDB's part ends with a transfer of its rows; the graph's part begins with transfers of its scans.
A cross join of two small tables is cheap to transfer before it and dear after it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from sqlax.compiler.cost.rates import Rates
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    Node,
    Project,
    Scan,
    Sort,
    Union,
    Window,
)
from sqlax.compiler.plan.render import render
from sqlax.compiler.plan.schema import Kind, Schema
from sqlax.errors import SqlaxError

_BYTES = {Kind.BOOLEAN: 1, Kind.STRING: 24, Kind.OPAQUE: 24}
_UNKNOWN_ROWS = 10_000


@dataclass
class CostModel:
    """Estimates in nanoseconds; each node's once.

    Args:
        catalog: asks DuckDB how many rows it expects.
        rates: of this machine.
    """

    catalog: Catalog
    rates: Rates
    _rows: dict[Node, int] = field(default_factory=dict)
    _graph: dict[Node, float] = field(default_factory=dict)

    def prefers_duckdb(self, node: Node) -> bool:
        """Whether DuckDB with a transfer of the rows is at most as dear as the graph."""
        return self.in_duckdb(node) <= self.in_graph(node)

    def rows(self, node: Node) -> int:
        """Rows that DuckDB expects of a plan."""
        if node not in self._rows:
            self._rows[node] = self._expected(node)
        return self._rows[node]

    def _expected(self, node: Node) -> int:
        try:
            found = self.catalog.expected_rows(render(node))
        except SqlaxError:
            found = None
        return self._guess(node) if found is None else found

    def _guess(self, node: Node) -> int:
        """Rows where DuckDB does not say, as of a cross product."""
        below = [self.rows(child) for child in node.inputs]
        if isinstance(node, Join) and not node.keys and node.residual is None:
            return math.prod(below)
        return max(below, default=_UNKNOWN_ROWS)

    def in_duckdb(self, node: Node) -> float:
        """The plan in DuckDB, and its rows on the device."""
        work = sum(self._duckdb_work(below) for below in node.walk())
        return work + self.rows(node) * row_bytes(node.schema) * self.rates.transfer

    def in_graph(self, node: Node) -> float:
        """The node in the graph, and what lies below it wherever that is cheaper."""
        if isinstance(node, Scan):
            return self.in_duckdb(node)
        if node not in self._graph:
            below = (min(self.in_duckdb(child), self.in_graph(child)) for child in node.inputs)
            self._graph[node] = self._graph_work(node) + sum(below) + self.rates.compile
        return self._graph[node]

    def _duckdb_work(self, node: Node) -> float:
        read = sum(self.rows(child) for child in node.inputs)
        if isinstance(node, Join):
            return (read + self.rows(node)) * self.rates.duckdb_join
        if isinstance(node, Aggregate | Distinct | Sort | Window):
            return read * self.rates.duckdb_join
        return max(read, self.rows(node)) * self.rates.duckdb_row

    def _graph_work(self, node: Node) -> float:
        read = sum(self.rows(child) for child in node.inputs)
        width = len(node.schema.names)
        if isinstance(node, Filter | Project | Limit | Union):
            return read * width * self.rates.graph_row
        ordered = read * math.log2(max(2, read)) * self.rates.graph_sort
        return ordered + self.rows(node) * width * self.rates.graph_row


def row_bytes(schema: Schema) -> int:
    """Expected bytes of a row in Arrow."""
    return sum(_BYTES.get(f.kind, 8) for f in schema.fields)
