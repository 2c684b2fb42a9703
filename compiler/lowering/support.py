"""Whether the graph can compute an expression, asked of the lowering itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.environment import (
    Environment,
    NotLowerableError,
    Typed,
    dtype_of_kind,
)
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import columns_of
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.runtime.relation import Column, Relation


def is_lowerable(expression: exp.Expr, catalog: Catalog, schema: Schema) -> bool:
    """Whether `Expressions.lower` succeeds over columns of the schema; nothing is computed."""
    return obstacle(expression, catalog, schema) is None


def obstacle(expression: exp.Expr, catalog: Catalog, schema: Schema) -> str | None:
    """The operation that keeps an expression out of the graph; None where there is none."""
    environment = Environment(lambda _: jnp.zeros((), jnp.int32), blank_parameters(catalog))
    try:
        trace_expression(expression, catalog, schema, environment)
    except NotLowerableError as error:
        return str(error)
    return None


def trace_expression(
    expression: exp.Expr, catalog: Catalog, schema: Schema, environment: Environment
) -> None:
    """Lower an expression over columns of the schema; nothing is computed.

    Raises:
        NotLowerableError: the graph has no operation for it.
    """
    fields = tuple(schema[name] for name in sorted(columns_of(expression)))

    def lower() -> Column:
        relation = Relation({f.name: _blank(f) for f in fields}, jnp.ones(1, bool))
        return Expressions(relation, schema, catalog, environment).lower(expression).column

    with jax.enable_x64(True):
        jax.eval_shape(lower)


def _blank(field: Field) -> Column:
    return Column(jnp.zeros(1, dtype_of(field)), jnp.ones(1, bool))


def dtype_of(field: Field) -> jnp.dtype:
    """The dtype in which a column is held on the device."""
    dtype: jnp.dtype = dtype_of_kind(field.kind)
    return dtype


def blank_parameters(catalog: Catalog) -> dict[str, Typed]:
    """A stand-in of the right type for each parameter."""
    with jax.enable_x64(True):
        return {name: _blank_parameter(name, catalog) for name in catalog.parameters}


def _blank_parameter(name: str, catalog: Catalog) -> Typed:
    ((type_name,),) = catalog.rows(f"SELECT typeof(${name})")
    data = jnp.zeros(1, dtype_of(Field(name, type_name)))
    return Typed(Column(data, jnp.ones(1, bool)), type_name)
