"""The string constants of a plan's expressions: they become codes of the run's dictionary."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.plan.schema import Schema


def string_constants(plan: Node, catalog: Catalog) -> tuple[str, ...]:
    """The value of every VARCHAR constant that lowering the plan may meet, each once."""
    nodes = [
        constant
        for node in plan.walk()
        for expression in node.expressions()
        for constant in _constants(expression)
    ]
    kinds = catalog.types_of(nodes, Schema(()))
    texts = [node for node, kind in zip(nodes, kinds, strict=True) if kind == "VARCHAR"]
    catalog.remember(texts)
    values = (catalog.constant(node).value[0].as_py() for node in texts)
    return tuple(dict.fromkeys(value for value in values if value is not None))


def _constants(node: exp.Expr) -> Iterator[exp.Expr]:
    """The topmost constant expressions that may be a text."""
    if is_constant(node) and not isinstance(node, exp.Var) and not _is_clause(node):
        if _may_be_text(node):
            yield node
        return
    for child in node.iter_expressions():
        yield from _constants(child)


def _may_be_text(node: exp.Expr) -> bool:
    """Whether a constant holds a string literal or makes a text, such as `1::VARCHAR`."""
    if any(literal.is_string for literal in node.find_all(exp.Literal)):
        return True
    whole = isinstance(node, exp.Func) and not isinstance(node.parent, exp.Window)
    return whole and node.find(exp.Star) is None


def _is_clause(node: exp.Expr) -> bool:
    """Whether the node is a WHEN of a CASE: its parts are the values, not itself."""
    return isinstance(node, exp.If) and isinstance(node.parent, exp.Case)
