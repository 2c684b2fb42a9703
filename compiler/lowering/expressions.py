"""Scalar expressions as array operations, one small function for each kind of tree node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Shaped
from sqlglot import exp

from sqlax.compiler.lowering.arithmetic import ARITHMETIC
from sqlax.compiler.lowering.bits import BITS
from sqlax.compiler.lowering.branches import BRANCHES
from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.lowering.dates import DATES, DATES_BY_NAME
from sqlax.compiler.lowering.environment import Environment, NotLowerableError, Typed, dtype_of_kind
from sqlax.compiler.lowering.leaves import LEAVES
from sqlax.compiler.lowering.logic import LOGIC
from sqlax.compiler.lowering.maps import ValueMap, argument_of, can_be_map
from sqlax.compiler.lowering.numbers import NUMBERS, NUMBERS_BY_NAME
from sqlax.compiler.lowering.patterns import PATTERNS
from sqlax.compiler.lowering.ranges import does_not_fit
from sqlax.compiler.lowering.volatility import is_constant, is_pure, is_volatile
from sqlax.compiler.lowering.written import RANKED
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import columns_of
from sqlax.compiler.plan.schema import CARRIED, UNTYPED, Field, Kind, Schema, kind_of
from sqlax.runtime.load import arrow
from sqlax.runtime.relation import Column, Relation

Rule = Callable[["Expressions", Any], Typed]


class Expressions:
    """Lowers the expressions over one relation.

    Args:
        relation: the rows.
        schema: types of the relation's columns.
        catalog: gives DuckDB's type of every expression.
        environment: constants, parameters, maps and the place to report overflow.
        uses_maps: whether what the graph has no operation for may be looked up.
    """

    def __init__(
        self,
        relation: Relation,
        schema: Schema,
        catalog: Catalog,
        environment: Environment,
        uses_maps: bool = True,
    ) -> None:
        self.relation = relation
        self.schema = schema
        self.catalog = catalog
        self.environment = environment
        self.uses_maps = uses_maps

    def lower(self, node: exp.Expr) -> Typed:
        """The values of an expression, one per row slot.

        Raises:
            NotLowerableError: the graph has no operation for it.
        """
        value = self._constant(node) if is_constant(node) else self._computed_or_mapped(node)
        made = not isinstance(node, exp.Column)
        if made and value.kind is Kind.OPAQUE and value.type not in UNTYPED:
            raise NotLowerableError(f"{type(node).__name__.upper()} of type {value.type}")
        return _with_bounds(value)

    def carried(self, node: exp.Expr) -> Column:
        """The values of an expression of which nothing is asked but to be carried, or to be NULL.

        Raises:
            NotLowerableError: the graph has no operation for it.
        """
        if isinstance(node, exp.Column) and node.name in self.relation.columns:
            return self.relation.columns[node.name]
        return self.lower(node).column

    def _computed_or_mapped(self, node: exp.Expr) -> Typed:
        """By the graph's own operations, or as a map of the whole expression."""
        argument = argument_of(node, self.schema)
        by_parameters = node.find(exp.Column) is None and not isinstance(node, exp.Placeholder)
        if not self.uses_maps or not (argument or by_parameters):
            return self._computed(node)
        reported = len(self.environment.overflow)
        alone = Expressions(self.relation, self.schema, self.catalog, self.environment, False)
        try:
            return alone.lower(node)
        except NotLowerableError as error:
            del self.environment.overflow[reported:]
            return self._mapped(node, argument, str(error))

    def _computed(self, node: exp.Expr) -> Typed:
        rule = _RULES.get(type(node))
        if isinstance(node, exp.Anonymous):
            rule = _BY_NAME.get(str(node.this).lower())
        if rule is None:
            raise self.refused(node)
        return rule(self, node)

    def refused(self, node: exp.Expr) -> NotLowerableError:
        """The error for an operation that the graph does not have."""
        return NotLowerableError(type(node).__name__.upper() + self._of_made(node))

    def ranked(self, value: Typed) -> Typed:
        """Texts of any origin by their ranks: they compare as the texts do, and nothing else.

        Raises:
            NotLowerableError: the values are no texts.
        """
        if value.type == RANKED:
            return value
        if value.kind is not Kind.STRING:
            raise NotLowerableError(f"comparison of generated text with {value.type}")
        column = value.column
        return Typed(Column(self.environment.written.rank(column.data), column.valid), RANKED)

    def _of_made(self, node: exp.Expr) -> str:
        """What keeps an expression from being a map, to be told."""
        read = (self.schema[name] for name in sorted(columns_of(node)) if name in self.schema)
        made = next((field for field in read if field.kind in CARRIED), None)
        return "" if made is None else f" of a {made.described}"

    def _mapped(self, node: exp.Expr, argument: Field | None, obstacle: str) -> Typed:
        if not can_be_map(node, self.catalog):
            raise NotLowerableError(obstacle)
        wanted = ValueMap(node.sql("duckdb"), argument, self.type_of(node), node)
        if kind_of(wanted.type) is Kind.OPAQUE:
            raise NotLowerableError(f"{obstacle} of type {wanted.type}")
        return self.applied(wanted)

    def applied(self, wanted: ValueMap) -> Typed:
        """A map of each row's value."""
        table = self.environment.table(wanted)
        if wanted.argument is None:
            shape = self.relation.mask.shape
            argument = Column(jnp.zeros(shape, jnp.int32), jnp.zeros(shape, bool))
        else:
            argument = self.relation.columns[wanted.argument.name]
        column, failed = table.apply(argument)
        self.environment.report(failed, self.relation.mask)
        return Typed(column, wanted.type)

    def converted(self, value: Typed, target: str) -> Typed:
        """The value cast to another type; what does not fit it is reported."""
        outside = does_not_fit(value, target)
        if outside is not None:
            self.report(outside & value.column.valid)
        return convert(value, target)

    def report(self, condition: Shaped[Array, " rows"]) -> None:
        """Remember that a row left the range of its type, or that DuckDB would raise an error."""
        self.environment.report(condition, self.relation.mask)

    def within(self, condition: Shaped[Array, " rows"]) -> Expressions:
        """The same rows, of which only those with `condition` report that they left a range."""
        rows = self.relation.where(condition)
        return Expressions(rows, self.schema, self.catalog, self.environment, self.uses_maps)

    def predicate(self, node: exp.Expr) -> Shaped[Array, " rows"]:
        """Where a condition is TRUE; NULL counts as not."""
        value = convert(self.lower(node), "BOOLEAN").column
        return value.data & value.valid

    def orderable(self, node: exp.Expr) -> Column:
        """The values of an expression that is sorted, grouped or joined by.

        Raises:
            NotLowerableError: its type has no order on the device.
        """
        value = self.lower(node)
        if value.kind is Kind.OPAQUE and value.type != RANKED:
            raise NotLowerableError(f"ordering or grouping by a value of type {value.type}")
        return value.column

    def type_of(self, node: exp.Expr) -> str:
        """DuckDB's type of an expression over this relation."""
        read = tuple(sorted(columns_of(node)))
        (found,) = self.catalog.types_of([node], self.schema.select(read))
        return found

    def fill(self, value: Any, type_name: str) -> Typed:
        """A constant for every row: None, or a number as the device holds it."""
        shape, dtype = self.relation.mask.shape, dtype_of_kind(kind_of(type_name))
        if value is None:
            return Typed(Column(jnp.zeros(shape, dtype), jnp.zeros(shape, bool)), type_name)
        data = jnp.broadcast_to(jnp.asarray(value, dtype), shape)
        return Typed(Column(data, jnp.ones(shape, bool)), type_name)

    def _constant(self, node: exp.Expr) -> Typed:
        if not is_pure(node, self.catalog):
            raise NotLowerableError(f"the volatile {node.sql('duckdb')}")
        constant = self.catalog.constant(node)
        if kind_of(constant.type) is Kind.OPAQUE and constant.type not in UNTYPED:
            raise NotLowerableError(f"a constant of type {constant.type}")
        if not constant.value[0].is_valid:
            return self.fill(None, constant.type)
        if kind_of(constant.type) is Kind.STRING:
            return self.fill(self.environment.code(constant.value[0].as_py()), constant.type)
        chunk = next(chunk for chunk in constant.value.chunks if len(chunk))
        if arrow.beyond(chunk) is not None:
            raise NotLowerableError("a number beyond 64 bits")
        return self.fill(arrow.values(chunk)[0], constant.type)


def _with_bounds(value: Typed) -> Typed:
    """A BOOLEAN with the bounds that every BOOLEAN has."""
    column = value.column
    if value.kind is not Kind.BOOLEAN or column.bits is not None:
        return value
    low = jnp.zeros((), jnp.int64)
    return Typed(Column(column.data, column.valid, low, 1), value.type)


_RULES: dict[type[exp.Expr], Rule] = {
    **LEAVES,
    **LOGIC,
    **BRANCHES,
    **ARITHMETIC,
    **NUMBERS,
    **BITS,
    **DATES,
    **PATTERNS,
}
_BY_NAME: dict[str, Rule] = {**NUMBERS_BY_NAME, **DATES_BY_NAME}

__all__ = ["Expressions", "is_constant", "is_volatile"]
