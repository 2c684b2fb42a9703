"""One window call taken apart: function, frame, and the shared order of its clauses."""

from __future__ import annotations

from dataclasses import dataclass, field

import jax.numpy as jnp
from jaxtyping import Array, Bool
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.expressions import Expressions, is_constant
from sqlax.compiler.lowering.windows.clause import frame_of
from sqlax.compiler.plan.schema import Field, Kind, kind_of
from sqlax.runtime.operators.order import SortKey
from sqlax.runtime.operators.window import Frame, Ordered, order_rows
from sqlax.runtime.relation import Column


@dataclass
class Orders:
    """The sorts of one Window node, each made once."""

    lower: Expressions
    _made: dict[tuple[tuple[exp.Expr, ...], exp.Expr | None], Ordered] = field(default_factory=dict)

    def of(self, call: exp.Expr) -> Ordered:
        """The rows in the order of a call's PARTITION BY and ORDER BY."""
        partition, order = tuple(call.args.get("partition_by") or ()), call.args.get("order")
        if (partition, order) not in self._made:
            keys = tuple(self.lower.orderable(key) for key in partition)
            items = order.expressions if order is not None else ()
            self._made[partition, order] = order_rows(
                self.lower.relation.mask, keys, tuple(map(self._sort_key, items))
            )
        return self._made[partition, order]

    def _sort_key(self, item: exp.Expr) -> SortKey:
        descending, first = bool(item.args.get("desc")), bool(item.args.get("nulls_first"))
        return SortKey(self.lower.orderable(item.this), descending, first)


@dataclass(frozen=True)
class WindowCall:
    """A window call over the rows of a relation.

    Attributes:
        lower: expressions over the rows.
        rows: their places.
        window: the whole call, with its clauses.
        function: the function inside FILTER and IGNORE NULLS.
        used: rows that FILTER lets through.
        is_filtered: whether there is a FILTER.
        skips_nulls: whether IGNORE NULLS stands there.
        output: name and DuckDB type of the result.
    """

    lower: Expressions
    rows: Ordered
    window: exp.Expr
    function: exp.Expr
    used: Bool[Array, " rows"]
    is_filtered: bool
    skips_nulls: bool
    output: Field

    @classmethod
    def of(cls, orders: Orders, window: exp.Expr, output: Field) -> WindowCall:
        """The parts of a window call.

        Raises:
            NotLowerableError: the graph has no operation for one of the parts.
        """
        lower, function = orders.lower, window.this
        used, filtered = lower.relation.mask, isinstance(function, exp.Filter)
        if filtered:
            used = used & lower.predicate(function.expression.this)
            function = function.this
        skips = isinstance(function, exp.IgnoreNulls)
        if isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
            function = function.this
        rows = orders.of(window)
        return cls(lower, rows, window, function, used, filtered, skips, output)

    def refuse(self) -> NotLowerableError:
        """The error that names this call."""
        return NotLowerableError(self.window.sql("duckdb"))

    def frame(self) -> Frame:
        """The frame of each place."""
        return frame_of(self.rows, self.window)

    def operand(self, node: exp.Expr | None) -> Typed:
        """An operand in place order, NULL in rows that FILTER leaves out.

        Raises:
            NotLowerableError: there is none, or the device cannot compute with its type.
        """
        if node is None or isinstance(node, exp.Distinct | exp.Order | exp.Star):
            raise self.refuse()
        value = self.lower.lower(node)
        if kind_of(value.type) is Kind.OPAQUE:
            raise NotLowerableError(f"{self.window.sql('duckdb')} of type {value.type}")
        return Typed(self.rows.to_places(value.column.only(self.used)), value.type)

    def whole(self, name: str, default: int | None = None) -> int | None:
        """A constant integer operand; None for NULL.

        Raises:
            NotLowerableError: it differs between rows.
        """
        node = self.function.args.get(name)
        if node is None:
            return default
        if not is_constant(node):
            raise self.refuse()
        ((value,),) = self.lower.catalog.rows(f"SELECT ({node.sql('duckdb')})::BIGINT")
        return None if value is None else int(value)

    def only_reads(self, *names: str) -> None:
        """Refuse a call whose function has other operands than these."""
        more = {name for name, value in self.function.args.items() if value} - {*names, "big_int"}
        if more:
            raise self.refuse()

    def null(self, column: Column) -> Column:
        """NULL in every place, of a column's dtype."""
        return column.only(jnp.zeros_like(column.valid))
