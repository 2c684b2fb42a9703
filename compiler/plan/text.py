"""A plan as indented text: one line a node, the same for equal plans."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqlax.compiler.plan.nodes import (
    Aggregate,
    Distinct,
    Filter,
    Join,
    Limit,
    Node,
    Project,
    Scan,
    Score,
    Sort,
    Stored,
    Union,
    Unnest,
    Window,
)
from sqlax.compiler.sql.call import SemanticCall
from sqlax.compiler.sql.canonical import canonical
from sqlax.compiler.sql.prompt import Literal


def plan_text(node: Node, describe: Callable[[Node], str] | None = None) -> str:
    """The plan, root first, each line from `describe`."""
    return "\n".join(_lines(node, describe or node_text, 0))


def _lines(node: Node, describe: Callable[[Node], str], depth: int) -> list[str]:
    lines = ["  " * depth + describe(node)]
    for child in node.inputs:
        lines += _lines(child, describe, depth + 1)
    return lines


def node_text(node: Node) -> str:
    """A node with everything that distinguishes it."""
    return f"{type(node).__name__.upper()} {_CASES[type(node)](node)}".rstrip()


def _sql(expressions: tuple[exp.Expr, ...]) -> str:
    return ", ".join(expression.sql("duckdb") for expression in expressions)


def _project(node: Project) -> str:
    return ", ".join(
        value.sql("duckdb") + ("" if value.name == field.name else f' AS "{field.name}"')
        for field, value in node.items()
    )


def _score(node: Score) -> str:
    guard = "" if node.guard is None else f" WHERE {node.guard.sql('duckdb')}"
    return f"{canonical(node.call)}{guard}"


def _join(node: Join) -> str:
    condition = node.condition()
    kind = node.other or node.kind.value.upper()
    aware = " NULL AWARE" if node.null_aware else ""
    return f"{kind}{aware}" + ("" if condition is None else f" ON {condition.sql('duckdb')}")


def _sort(node: Sort) -> str:
    return ", ".join(
        key.value.sql("duckdb")
        + (" DESC" if key.descending else "")
        + (" NULLS FIRST" if key.nulls_first else "")
        for key in node.keys
    )


def _limit(node: Limit) -> str:
    return f"{'ALL' if node.count is None else node.count} OFFSET {node.offset}"


def prompt_text(call: SemanticCall) -> str:
    """A call's prompt for people: literals as they are, values in braces."""
    parts = (
        p.text if isinstance(p, Literal) else f"{{{p.expression.sql('duckdb')}}}"
        for p in call.prompt
    )
    return "".join(parts)


_CASES: dict[type[Node], Callable[..., str]] = {
    Scan: lambda node: node.sql,
    Stored: lambda node: node.sql,
    Filter: lambda node: node.predicate.sql("duckdb"),
    Project: _project,
    Score: _score,
    Join: _join,
    Aggregate: lambda node: f"BY {_sql(node.keys)} COMPUTE {_sql(node.calls)}",
    Window: lambda node: _sql(node.calls),
    Distinct: lambda node: "",
    Sort: _sort,
    Limit: _limit,
    Unnest: lambda node: _sql(node.calls),
    Union: lambda node: ", ".join(node.schema.names),
}
