"""LIMIT goes below what keeps every row."""

from __future__ import annotations

from sqlax.compiler.plan.nodes import Limit, Node, Project, Score


def push_limit(node: Node) -> Node | None:
    """Take the rows of a LIMIT before asking a model about them.

    Before: ``SELECT * FROM (SELECT *, AI_SCORE(x) AS s FROM t) LIMIT 5``.
    After: ``SELECT *, AI_SCORE(x) AS s FROM (SELECT * FROM t LIMIT 5)``.
    """
    if not isinstance(node, Limit) or not isinstance(node.input, Project | Score):
        return None
    below = node.input.input
    return node.input.with_inputs((Limit(below.schema, below, node.count, node.offset),))
