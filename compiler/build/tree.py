"""Walking sqlglot trees: rewriting with pruning, conjunctions, semantic calls as nodes.

A semantic call inside an expression is a `__semantic(key, value, ...)` node: `key` names a call
whose prompt values are the node's other arguments, so that rewriting the tree rewrites them too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.sql.call import SemanticCall, canonical
from sqlax.compiler.sql.prompt import Literal, Value

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
        template = with_values(
            call, tuple(exp.Placeholder(this=f"v{i}") for i in range(len(values)))
        )
        key = hashlib.sha256(canonical(template).encode()).hexdigest()[:8]
        self._calls.setdefault(key, template)
        return exp.Anonymous(this=_MARK, expressions=[exp.Literal.string(key), *values])

    def call(self, node: exp.Expr) -> SemanticCall:
        """The call of a node made by `mark`, with the node's present arguments."""
        return with_values(self._calls[node.expressions[0].name], tuple(node.expressions[1:]))

    def column_name(self, node: exp.Expr) -> str:
        """The name of the column that holds the answer: equal calls have equal names."""
        text = node.sql("duckdb")
        call = self.call(node)
        return f"#{call.function.value}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def with_values(call: SemanticCall, values: tuple[exp.Expr, ...]) -> SemanticCall:
    """The call with the expressions of its prompt replaced, in order."""
    rest = iter(values)
    prompt = tuple(p if isinstance(p, Literal) else Value(next(rest)) for p in call.prompt)
    return replace(call, prompt=prompt)


def is_semantic(node: exp.Expr) -> bool:
    """Whether the node itself is a marked semantic call."""
    return isinstance(node, exp.Anonymous) and node.name == _MARK


def semantic_nodes(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Marked semantic calls, inner ones before those that read them."""
    return (node for node in reversed(list(tree.walk())) if is_semantic(node))


def has_semantic(tree: exp.Expr) -> bool:
    """Whether a marked semantic call stands anywhere in the tree."""
    return any(is_semantic(node) for node in tree.walk())
