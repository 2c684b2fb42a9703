"""Plan nodes without semantic operators as DuckDB SQL."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqlax.compiler.plan.catalog import quote
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
    Sort,
    Stored,
    Union,
    Unnest,
    Window,
)


def render(node: Node) -> str:
    """A SELECT that yields exactly the node's rows and columns."""
    return _CASES[type(node)](node)


def _scan(node: Scan) -> str:
    return node.sql


def _filter(node: Filter) -> str:
    return f"SELECT * FROM {_from(node.input)} WHERE {_sql(node.predicate)}"


def _project(node: Project) -> str:
    items = ", ".join(f"{_sql(value)} AS {quote(f.name)}" for f, value in node.items())
    return f"SELECT {items} FROM {_from(node.input)}"


def _join(node: Join) -> str:
    if node.kind in _AS_VALUE:
        return _AS_VALUE[node.kind](node)
    condition = node.condition()
    kind = node.other or node.kind.value.upper()
    if node.kind is JoinKind.INNER and condition is None:
        kind = "CROSS"
    elif node.kind in (JoinKind.LEFT, JoinKind.FULL, JoinKind.SEMI, JoinKind.ANTI):
        condition = condition or exp.true()
    on = "" if condition is None else f" ON {_sql(condition)}"
    return f"SELECT * FROM {_from(node.left, 'l')} {kind} JOIN {_from(node.right, 'r')}{on}"


def _mark(node: Join) -> str:
    """EXISTS, or where a mark may be NULL the OR over the conditions of all pairs."""
    name, condition = quote(node.schema.names[-1]), _sql(node.condition() or exp.true())
    pairs = f"FROM {_from(node.right, 'r')}"
    mark = f"EXISTS (SELECT 1 {pairs} WHERE {condition})"
    if node.null_aware:
        no = f"WHEN count(*) = count({condition}) THEN FALSE"
        mark = f"(SELECT CASE WHEN bool_or({condition}) THEN TRUE {no} END {pairs})"
    return f"SELECT *, {mark} AS {name} FROM {_from(node.left, 'l')}"


def _single(node: Join) -> str:
    """Each right column as a scalar subquery: DuckDB reports a second row."""
    condition = _sql(node.condition() or exp.true())
    values = (
        f"(SELECT {quote(name)} FROM {_from(node.right, 'r')} WHERE {condition}) AS {quote(name)}"
        for name in node.right.schema.names
    )
    return f"SELECT *, {', '.join(values)} FROM {_from(node.left, 'l')}"


def _union(node: Union) -> str:
    names = ", ".join(quote(name) for name in node.schema.names)
    sides = " UNION ALL ".join(f"SELECT * FROM {_from(side)}" for side in node.inputs)
    return f"SELECT * FROM ({sides}) AS t({names})"


def _aggregate(node: Aggregate) -> str:
    values = (*node.keys, *node.calls)
    items = [f"{_sql(v)} AS {quote(n)}" for n, v in zip(node.schema.names, values, strict=True)]
    keys = ", ".join(str(place) for place in range(1, len(node.keys) + 1))
    group = f" GROUP BY {keys}" if keys else ""
    return f"SELECT {', '.join(items)} FROM {_from(node.input)}{group}"


def _window(node: Window | Unnest) -> str:
    names = node.schema.names[len(node.input.schema.names) :]
    items = [f"{_sql(call)} AS {quote(n)}" for n, call in zip(names, node.calls, strict=True)]
    return f"SELECT *, {', '.join(items)} FROM {_from(node.input)}"


def _distinct(node: Distinct) -> str:
    return f"SELECT DISTINCT * FROM {_from(node.input)}"


def _sort(node: Sort) -> str:
    keys = ", ".join(
        f"{_sql(key.value)} {'DESC' if key.descending else 'ASC'} "
        f"NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in node.keys
    )
    return f"SELECT * FROM {_from(node.input)} ORDER BY {keys}"


def _limit(node: Limit) -> str:
    count = "" if node.count is None else f" LIMIT {node.count}"
    inner = (
        render(node.input) if isinstance(node.input, Sort) else f"SELECT * FROM {_from(node.input)}"
    )
    return f"{inner}{count} OFFSET {node.offset}"


def _from(node: Node, alias: str = "t") -> str:
    return f"({render(node)}) AS {alias}"


def _sql(expression: exp.Expr) -> str:
    return expression.sql("duckdb")


_CASES: dict[type[Node], Callable[..., str]] = {
    Scan: _scan,
    Stored: _scan,
    Filter: _filter,
    Project: _project,
    Join: _join,
    Aggregate: _aggregate,
    Window: _window,
    Distinct: _distinct,
    Sort: _sort,
    Limit: _limit,
    Union: _union,
    Unnest: _window,
}

_AS_VALUE: dict[JoinKind, Callable[[Join], str]] = {
    JoinKind.MARK: _mark,
    JoinKind.SINGLE: _single,
}
