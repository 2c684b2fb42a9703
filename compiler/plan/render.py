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
    kind = "CROSS" if node.kind is JoinKind.CROSS else node.sql_kind
    condition = "" if node.condition is None else f" ON {_sql(node.condition)}"
    return f"SELECT * FROM {_from(node.left, 'l')} {kind} JOIN {_from(node.right, 'r')}{condition}"


def _aggregate(node: Aggregate) -> str:
    values = (*node.keys, *node.calls)
    items = [f"{_sql(v)} AS {quote(n)}" for n, v in zip(node.schema.names, values, strict=True)]
    keys = ", ".join(str(place) for place in range(1, len(node.keys) + 1))
    group = f" GROUP BY {keys}" if keys else ""
    return f"SELECT {', '.join(items)} FROM {_from(node.input)}{group}"


def _window(node: Window) -> str:
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
    Filter: _filter,
    Project: _project,
    Join: _join,
    Aggregate: _aggregate,
    Window: _window,
    Distinct: _distinct,
    Sort: _sort,
    Limit: _limit,
}
