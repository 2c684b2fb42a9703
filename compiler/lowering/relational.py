"""Plan nodes as operations on device relations: one visible case a node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int
from sqlglot import exp

from sqlax.compiler.lowering.aggregates import aggregate_column, streamed
from sqlax.compiler.lowering.environment import Environment, NotLowerableError
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.joins import join_rows
from sqlax.compiler.lowering.windows import window_columns
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
    Score,
    Sort,
    SortItem,
    Stored,
    Union,
    Unnest,
    Window,
    column,
)
from sqlax.compiler.plan.schema import CARRIED, Kind
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.operators.compact import compact
from sqlax.runtime.operators.group import distinct, first_of_group, group_rows, is_direct
from sqlax.runtime.operators.order import SortKey, limit, sort
from sqlax.runtime.operators.union import concatenate
from sqlax.runtime.relation import Relation

Answers = Callable[["Relational", Score], Relation]

_FEWEST_TO_COMPACT = 1 << 16
_SPARSE = 8
"""Before a sort one in so many slots is supposed to hold a row; a run that fails tells."""


@dataclass
class Relational:
    """Evaluates the relational nodes of a plan inside one traced function.

    Attributes:
        catalog: gives DuckDB's types.
        scans: each scan's rows as they were loaded.
        capacities: slots of the joins and sorts that a run before found too few; absent or 0
            where the lowering decides.
        environment: constants, parameters, and where overflow is reported.
        answers: the rows of a semantic operator whose answers are known.
        memo: the rows of nodes that are evaluated, or given.
        needed: slots that each join or sort needs where it has too few, else 0; filled while
            tracing.
    """

    catalog: Catalog
    scans: Mapping[Scan, NarrowRelation]
    capacities: Mapping[Any, int]
    environment: Environment
    answers: Answers
    needed: dict[Node, Int[Array, ""]] = field(default_factory=dict)
    memo: dict[Node, Relation] = field(default_factory=dict)

    def evaluate(self, node: Node) -> Relation:
        """The rows of a node; each node is evaluated once however often it is read."""
        if node not in self.memo:
            rows = _CASES[type(node)](self, node)
            # Without a barrier XLA fuses gather chains into every consumer and repeats them.
            self.memo[node] = jax.lax.optimization_barrier(rows)  # type: ignore[no-untyped-call]
        return self.memo[node]

    def unread(self, node: Node) -> Relation | NarrowRelation:
        """The rows of a node to be read piece by piece: a scan's as they were loaded."""
        if isinstance(node, Scan) and node in self.scans:
            return self.scans[node]
        return self.evaluate(node)

    def expressions(self, node: Node) -> Expressions:
        """What lowers expressions over a node's rows."""
        return Expressions(self.evaluate(node), node.schema, self.catalog, self.environment)

    def before_sort(self, node: Aggregate | Distinct | Sort | Window) -> Expressions:
        """What lowers expressions over the input of a node that sorts, its rows moved together.

        A sort is the dearest operation, and after filters and joins most slots are empty. More
        rows than slots are told, and the host runs again.
        """
        rows = self.evaluate(node.input)
        slots = max(self.capacities.get(node, 0), rows.capacity // _SPARSE)
        if slots < rows.capacity >= _FEWEST_TO_COMPACT and _may_be_sparse(node.input):
            number = rows.count()
            self.needed[node] = jnp.where(number > slots, number, 0)
            rows = compact(rows, slots)
        return Expressions(rows, node.input.schema, self.catalog, self.environment)


def _may_be_sparse(node: Node) -> bool:
    """Whether rows may be missing among the slots, and no model has to be asked for them again."""
    below = tuple(node.walk())
    fewer = any(isinstance(n, Filter | Join | Aggregate | Limit) for n in below)
    return fewer and not any(isinstance(n, Score) for n in below)


def _scan(self: Relational, node: Scan) -> Relation:
    return self.scans[node].wide()


def _score(self: Relational, node: Score) -> Relation:
    return self.answers(self, node)


def _filter(self: Relational, node: Filter) -> Relation:
    lower = self.expressions(node.input)
    return lower.relation.where(lower.predicate(node.predicate))


def _project(self: Relational, node: Project) -> Relation:
    lower = self.expressions(node.input)
    columns = {f.name: lower.carried(value) for f, value in node.items()}
    return Relation(columns, lower.relation.mask)


def _union(self: Relational, node: Union) -> Relation:
    for field_ in (f for side in node.inputs for f in side.schema.fields):
        if field_.kind in (Kind.OPAQUE, *CARRIED):  # a column has no place for two kinds of numbers
            raise NotLowerableError(f"UNION of values of type {field_.described}")
    return concatenate(*(_renamed(self, node, side) for side in node.inputs))


def _unnest(self: Relational, node: Unnest) -> Relation:
    raise NotLowerableError("UNNEST")


def _renamed(self: Relational, node: Union, side: Node) -> Relation:
    """The rows of one side under the union's names."""
    rows = self.evaluate(side)
    for field_, own in zip(node.schema.fields, side.schema.fields, strict=True):
        if field_.labels != own.labels:
            raise NotLowerableError("UNION of answers with different labels")
    pairs = zip(node.schema.names, side.schema.names, strict=True)
    return Relation({name: rows.columns[own] for name, own in pairs}, rows.mask)


def _aggregate(self: Relational, node: Aggregate) -> Relation:
    made = streamed(self, node)
    return _grouped(self, node) if made is None else made


def _grouped(self: Relational, node: Aggregate) -> Relation:
    lower = self.expressions(node.input)
    keys = tuple(lower.orderable(key) for key in node.keys)
    if not is_direct(keys, _likely_rows(lower.relation, node.input)):
        lower = self.before_sort(node)
        keys = tuple(lower.orderable(key) for key in node.keys)
    groups = group_rows(lower.relation.mask, keys)
    names = iter(node.schema.fields)
    shown = (lower.carried(key) if is_written(lower, key) else None for key in node.keys)
    columns = {
        next(names).name: first_of_group(groups, own or key)
        for own, key in zip(shown, keys, strict=True)
    }
    for call in node.calls:
        output = next(names)
        columns[output.name] = aggregate_column(lower, groups, call, output)
    return Relation(columns, groups.exists)


def _likely_rows(rows: Relation, node: Node) -> int:
    """The slots of a node's rows; fewer where a sort would have to be of few rows only."""
    sparse = _may_be_sparse(node) and rows.capacity >= _FEWEST_TO_COMPACT
    return rows.capacity // _SPARSE if sparse else rows.capacity


def _window(self: Relational, node: Window) -> Relation:
    lower = self.before_sort(node)
    added = node.schema.fields[len(node.input.schema.fields) :]
    return lower.relation.with_columns(**window_columns(lower, node.calls, added))


def _distinct(self: Relational, node: Distinct) -> Relation:
    for field_ in node.input.schema.fields:
        if field_.kind in (Kind.OPAQUE, Kind.MADE):
            raise NotLowerableError(f"DISTINCT over a value of type {field_.described}")
    lower = self.before_sort(node)
    written = [f.name for f in node.input.schema.fields if f.kind is Kind.WRITTEN]
    ranks = {name: lower.orderable(column(name)) for name in written}
    return distinct(lower.relation, ranks)


def is_written(lower: Expressions, value: exp.Expr) -> bool:
    """Whether an expression is a column of texts that a model writes."""
    name = value.name if isinstance(value, exp.Column) else ""
    return name in lower.schema and lower.schema[name].kind is Kind.WRITTEN


def _sort(self: Relational, node: Sort) -> Relation:
    lower = self.before_sort(node)
    return sort(lower.relation, sort_keys(lower, node.keys))


def sort_keys(lower: Expressions, items: tuple[SortItem, ...]) -> tuple[SortKey, ...]:
    """Device sort keys of ORDER BY items."""
    return tuple(SortKey(lower.orderable(i.value), i.descending, i.nulls_first) for i in items)


def _limit(self: Relational, node: Limit) -> Relation:
    count = None if node.count is None else jnp.asarray(node.count, jnp.int64)
    return limit(self.evaluate(node.input), count, jnp.asarray(node.offset, jnp.int64))


_CASES: dict[type[Node], Callable[[Relational, Any], Relation]] = {
    Scan: _scan,
    Stored: _scan,
    Score: _score,
    Filter: _filter,
    Project: _project,
    Join: join_rows,
    Aggregate: _aggregate,
    Window: _window,
    Distinct: _distinct,
    Sort: _sort,
    Limit: _limit,
    Union: _union,
    Unnest: _unnest,
}
