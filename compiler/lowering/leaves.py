"""Columns, parameters and parentheses."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.plan.schema import CARRIED, Kind
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions


def _column(self: Expressions, node: exp.Expr) -> Typed:
    if node.name not in self.relation.columns:
        raise NotLowerableError(f"the field {node.sql('duckdb')}")
    field = self.schema[node.name]
    if field.kind is Kind.WRITTEN:
        return self.ranked(Typed(self.relation.columns[node.name], "VARCHAR"))
    if field.kind in CARRIED:
        raise NotLowerableError(f"computing with a {field.described}")
    return Typed(self.relation.columns[node.name], field.type)


def _placeholder(self: Expressions, node: exp.Expr) -> Typed:
    value = self.environment.parameters[node.name]
    shape = self.relation.mask.shape
    column = Column(
        jnp.broadcast_to(value.column.data, shape), jnp.broadcast_to(value.column.valid, shape)
    )
    return Typed(column, value.type)


def _paren(self: Expressions, node: exp.Expr) -> Typed:
    return self.lower(node.this)


LEAVES: dict[type[exp.Expr], Callable[[Expressions, Any], Typed]] = {
    exp.Column: _column,
    exp.Placeholder: _placeholder,
    exp.Paren: _paren,
}
