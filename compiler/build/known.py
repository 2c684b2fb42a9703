"""Conditions whose value is known while planning."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.tree import conjuncts
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Filter, Node
from sqlax.errors import BindError, DataError

_PLAIN = (
    *(exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Neg, exp.Not, exp.And, exp.Or),
    *(exp.Predicate, exp.Cast, exp.DataType, exp.DataTypeParam),
)
"""What a constant condition is made of here; functions may be the user's, and depend on more."""


def with_known_conditions(plan: Node, catalog: Catalog) -> Node:
    """The plan with FALSE for every condition that is false or NULL whatever the rows are."""
    done: dict[Node, Node] = {}

    def visit(node: Node) -> Node:
        if node not in done:
            inputs = tuple(map(visit, node.inputs))
            done[node] = _known(
                node.with_inputs(inputs) if inputs != node.inputs else node, catalog
            )
        return done[node]

    return visit(plan)


def _known(node: Node, catalog: Catalog) -> Node:
    if not isinstance(node, Filter):
        return node
    never = any(_is_never(condition, catalog) for condition in conjuncts(node.predicate))
    return replace(node, predicate=exp.false()) if never else node


def _is_never(condition: exp.Expr, catalog: Catalog) -> bool:
    if not all(isinstance(part, _PLAIN) for part in condition.walk()):
        return False
    try:
        return not catalog.constant(exp.cast(condition.copy(), "BOOLEAN")).value[0].as_py()
    except (BindError, DataError):
        return False  # the error belongs to the rows, if there are any
