"""Walking sqlglot trees: rewriting with pruning, conjunctions, semantic calls as nodes.

A semantic call inside an expression is a `__semantic(key, value, ...)` node: `key` names a call
whose prompt values are the node's other arguments, so that rewriting the tree rewrites them too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.sql.call import SemanticCall
from sqlax.compiler.sql.canonical import canonical

_MARK = "__semantic"

Visit: TypeAlias = Callable[[exp.Expr], exp.Expr | None]


def rewrite(tree: exp.Expr, visit: Visit) -> exp.Expr:
    """A copy of the tree where each topmost node that `visit` answers is replaced."""
    return _rewrite(tree.copy(), visit)


def _rewrite(node: exp.Expr, visit: Visit) -> exp.Expr:
    replacement = visit(node)
    if replacement is not None:
        return replacement
    for child in list(node.iter_expressions()):
        changed = _rewrite(child, visit)
        if changed is not child:
            child.replace(changed)
    return node


def conjuncts(predicate: exp.Expr) -> list[exp.Expr]:
    """The operands of a chain of ANDs, left to right."""
    predicate = predicate.unnest()
    return list(predicate.flatten()) if isinstance(predicate, exp.And) else [predicate]


def conjunction(operands: list[exp.Expr]) -> exp.Expr | None:
    """The AND of all operands; None for none."""
    return exp.and_(*operands, copy=True) if operands else None


class Templates:
    """The semantic calls of one query, by key; equal calls share a key."""

    def __init__(self) -> None:
        self._calls: dict[str, SemanticCall] = {}

    def mark(self, call: SemanticCall) -> exp.Expr:
        """A tree node for the call, with its prompt values as arguments."""
        values = call.values
        template = call.with_values(
            tuple(exp.Placeholder(this=f"v{i}") for i in range(len(values)))
        )
        key = hashlib.sha256(canonical(template).encode()).hexdigest()[:8]
        self._calls.setdefault(key, template)
        return exp.Anonymous(this=_MARK, expressions=[exp.Literal.string(key), *values])

    def call(self, node: exp.Expr) -> SemanticCall:
        """The call of a node made by `mark`, with the node's present arguments."""
        return self._calls[node.expressions[0].name].with_values(tuple(node.expressions[1:]))

    def column_name(self, node: exp.Expr) -> str:
        """The name of the column that holds the answer: equal calls have equal names."""
        text = node.sql("duckdb")
        call = self.call(node)
        return f"#{call.function.value}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def is_semantic(node: exp.Expr) -> bool:
    """Whether the node itself is a marked semantic call."""
    return isinstance(node, exp.Anonymous) and node.name == _MARK


def semantic_nodes(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Marked semantic calls, inner ones before those that read them."""
    return (node for node in reversed(list(tree.walk())) if is_semantic(node))


def has_semantic(tree: exp.Expr) -> bool:
    """Whether a marked semantic call stands anywhere in the tree."""
    return any(is_semantic(node) for node in tree.walk())


_SUBQUERY = "__subquery"


def subquery_node(key: str, arguments: list[exp.Expr]) -> exp.Expr:
    """A tree node for a planned subquery: its operands, then the outer columns that it reads."""
    return exp.Anonymous(this=_SUBQUERY, expressions=[exp.Literal.string(key), *arguments])


def is_subquery(node: exp.Expr) -> bool:
    """Whether the node itself is a planned subquery."""
    return isinstance(node, exp.Anonymous) and node.name == _SUBQUERY


def has_subquery(tree: exp.Expr) -> bool:
    """Whether a planned subquery stands anywhere in the tree."""
    return any(is_subquery(node) for node in tree.walk())


def typed_null(type_name: str) -> exp.Expr:
    """NULL as a value of a DuckDB type."""
    return exp.cast(exp.Null(), exp.DataType.build(type_name, dialect="duckdb"))
