"""What has no rows whatever the tables hold is not computed."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.plan.catalog import typed_nulls
from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    JoinKind,
    Limit,
    Node,
    Project,
    Scan,
    Score,
    Sort,
    Union,
    Unnest,
    Window,
)

_ROW_BY_ROW = (Distinct, Filter, Limit, Project, Score, Sort, Unnest, Window)
_BY_LEFT = (JoinKind.LEFT, JoinKind.ANTI, JoinKind.MARK, JoinKind.SINGLE)
_BY_EITHER = (JoinKind.INNER, JoinKind.SEMI)


def drop_empty(node: Node) -> Node | None:
    """No rows in place of a plan that can have none.

    Before: ``SELECT t.x, u.y FROM (SELECT * FROM t WHERE FALSE) t JOIN u ON AI_IF((x, y))``.
    After: ``SELECT NULL AS x, NULL AS y WHERE FALSE``. So nothing on the other side of a join can
    fail, and no model is asked about it.
    """
    fields = node.schema.fields
    if isinstance(node, Scan) or any(f.made or f.labels is not None for f in fields):
        return None
    if not _is_empty(node):
        return None
    return Scan(node.schema, f"SELECT * FROM {typed_nulls(node.schema)} WHERE FALSE")


def _is_empty(node: Node) -> bool:
    if isinstance(node, Filter) and node.predicate == exp.false():
        return True
    if isinstance(node, Join):
        left, right = _is_empty(node.left), _is_empty(node.right)
        either = node.kind in _BY_EITHER and (left or right)
        return either or (node.kind in _BY_LEFT and left) or (left and right)
    grouped = isinstance(node, Aggregate) and bool(node.keys)
    if grouped or isinstance(node, (*_ROW_BY_ROW, Union)):
        return all(map(_is_empty, node.inputs))
    return False
