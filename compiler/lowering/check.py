"""Whether the graph has a node's operation, asked of the lowering itself."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.environment import Environment, NotLowerableError
from sqlax.compiler.lowering.relational import Relational
from sqlax.compiler.lowering.support import blank_parameters, dtype_of, obstacle
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.flow import written_by
from sqlax.compiler.plan.held import as_below
from sqlax.compiler.plan.nodes import Join, Node, Scan, Score
from sqlax.compiler.plan.schema import Kind, Schema
from sqlax.runtime.relation import Column, Relation

_ROWS = 16
_TEXTS = (Kind.STRING, Kind.WRITTEN)


def node_obstacle(node: Node, catalog: Catalog) -> str | None:
    """What keeps a node out of the graph, its inputs aside; None where nothing does."""
    if isinstance(node, Score):
        return _score_obstacle(node, catalog)
    try:
        trace_alone(node, catalog, blank_environment(catalog))
    except NotLowerableError as error:
        return str(error)
    return None


def _score_obstacle(node: Score, catalog: Catalog) -> str | None:
    for value in node.call.values:
        if isinstance(value, exp.Column) and node.input.schema[value.name].kind not in _TEXTS:
            return f"a prompt value of type {node.input.schema[value.name].described}"
        if not isinstance(value, exp.Column) and value.find(exp.Column):
            return f"the prompt value {value.sql('duckdb')}"
        author = written_by(node.input, value.name) if isinstance(value, exp.Column) else None
        if author is not None and author.call.model != node.call.model:
            return "a text that another model has written"
    return None if node.guard is None else obstacle(node.guard, catalog, node.input.schema)


def blank_environment(catalog: Catalog) -> Environment:
    """Surroundings that have the right types and no values."""
    return Environment(lambda _: jnp.zeros((), jnp.int32), blank_parameters(catalog))


def trace_alone(node: Node, catalog: Catalog, environment: Environment) -> None:
    """Lower a node over inputs of the right types and no values; nothing is computed.

    Raises:
        NotLowerableError: the graph does not have the node's operation.
    """
    leaves = tuple(Scan(child.schema, f"#{i}") for i, child in enumerate(node.inputs))
    bare = as_below(node.with_inputs(leaves))
    with jax.enable_x64(True):
        jax.eval_shape(lambda: _evaluate(bare, leaves, catalog, environment))


def _evaluate(
    node: Node, leaves: tuple[Scan, ...], catalog: Catalog, environment: Environment
) -> Relation:
    rows = Relational(
        catalog,
        {},
        {join: _ROWS for join in node.walk() if isinstance(join, Join)},
        environment,
        lambda _, score: _blank(score.schema),
        memo={leaf: _blank(leaf.schema) for leaf in leaves},
    )
    return rows.evaluate(node)


def _blank(schema: Schema) -> Relation:
    mask = jnp.ones(_ROWS, bool)
    columns = {f.name: Column(jnp.zeros(_ROWS, dtype_of(f)), mask) for f in schema.fields}
    return Relation(columns, mask)
