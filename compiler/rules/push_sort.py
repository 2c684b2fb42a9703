"""ORDER BY goes below what it does not read."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.plan.nodes import Filter, Node, Project, Score, Sort, columns_of


def push_sort(node: Node) -> Node | None:
    """Sort before a model is asked, where the order does not depend on its answer.

    Before: ``SELECT * FROM (SELECT *, AI_SCORE(x) AS s FROM t) ORDER BY g LIMIT 5``.
    After: ``SELECT *, AI_SCORE(x) AS s FROM (SELECT * FROM t ORDER BY g) LIMIT 5``, and the LIMIT
    follows.
    """
    if not isinstance(node, Sort):
        return None
    if isinstance(node.input, Score) and _reads(node) <= set(node.input.input.schema.names):
        return node.input.with_inputs((Sort(node.input.input.schema, node.input.input, node.keys),))
    if isinstance(node.input, Filter):
        return _below_filter(node, node.input)
    if isinstance(node.input, Project):
        return _below_project(node, node.input)
    return None


def _below_filter(node: Sort, condition: Filter) -> Node | None:
    """Together with the Score that the filter reads, so that a LIMIT above can stop early."""
    score = condition.input
    if not isinstance(score, Score) or not _reads(node) <= set(score.input.schema.names):
        return None
    ordered = Sort(score.input.schema, score.input, node.keys)
    return condition.with_inputs((score.with_inputs((ordered,)),))


def _reads(node: Sort) -> set[str]:
    return {name for key in node.keys for name in columns_of(key.value)}


def _below_project(node: Sort, project: Project) -> Node | None:
    passed = {f.name: v for f, v in project.items() if isinstance(v, exp.Column)}
    if not _reads(node) <= set(passed):
        return None

    def visit(part: exp.Expr) -> exp.Expr | None:
        is_field = isinstance(part, exp.Column) and not part.table
        return passed[part.name].copy() if is_field else None

    keys = tuple(replace(key, value=rewrite(key.value, visit)) for key in node.keys)
    return project.with_inputs((Sort(project.input.schema, project.input, keys),))
