"""Names of output columns without an alias, as DuckDB gives them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqlax.compiler.build.aggregate import Grouping
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.build.tree import rewrite
from sqlax.compiler.plan.catalog import quote
from sqlax.compiler.plan.nodes import Node
from sqlax.compiler.sql.aggregate_sites import as_written
from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.rewrite import find_calls, is_call
from sqlax.compiler.sql.stub import stub_of
from sqlax.errors import BindError


def output_names(select: exp.Select, scope: Scope, plan: Node, context: Context) -> list[str]:
    """A name for each item of the SELECT list; a star's stands for nothing.

    A semantic call is named by its own text, anything else as DuckDB names it.
    """
    items = list(select.expressions)
    names = [item.alias or _own_name(item, scope) for item in items]
    open_places = [place for place, item in enumerate(items) if _is_open(item)]
    if not open_places:
        return names
    described = dict(
        zip(_described_places(items), _describe(items, scope, plan, context), strict=False)
    )
    return [described.get(p, name) if p in open_places else name for p, name in enumerate(names)]


def _own_name(item: exp.Expr, scope: Scope) -> str:
    if isinstance(item, exp.Column):
        return scope.visible_name(item)
    if isinstance(item, exp.Dot):
        return item.name
    return as_written(item).sql("duckdb").replace("__AI_", "AI_")


def _is_open(item: exp.Expr) -> bool:
    """Whether DuckDB is to be asked for the name."""
    named = item.alias or isinstance(item, exp.Column) or item.is_star
    return isinstance(item, exp.Count) or not (named or find_calls(item))


def _described_places(items: list[exp.Expr]) -> list[int]:
    return [p for p, item in enumerate(items) if isinstance(item, exp.Count) or not item.is_star]


def _describe(items: list[exp.Expr], scope: Scope, plan: Node, context: Context) -> Iterator[str]:
    """DuckDB's names of all items but stars, over relations of typed NULLs; none if it refuses."""

    def stub(node: exp.Expr) -> exp.Expr | None:
        if not is_call(node):
            return None
        return stub_of(bind_call(node, context.sql, context.dialect))

    texts = [rewrite(items[p], stub).sql("duckdb") for p in _described_places(items)]
    sources = ", ".join(_typed_source(s.name, s.columns, scope, plan) for s in scope.sources)
    group = (
        " GROUP BY ALL"
        if any(True for i in items for _ in Grouping.aggregates_in(i, context))
        else ""
    )
    source = f" FROM {sources}" if sources else ""
    sql = f"{context.with_clause()}SELECT {', '.join(texts)}{source}{group}"
    try:
        yield from (field.name for field in context.catalog.describe(sql))
    except BindError:
        return


def _typed_source(name: str, columns: tuple[tuple[str, str], ...], scope: Scope, plan: Node) -> str:
    nulls = [
        f"CAST(NULL AS {plan.schema[field].type}) AS {quote(visible)}"
        for visible, field in columns
        if field not in scope.hidden and field in plan.schema
    ]
    return f"(SELECT {', '.join(nulls) or 'NULL'}) AS {quote(name)}"
