"""FROM items: tables, subqueries and common table expressions as scans or plans."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.scope import Source
from sqlax.compiler.plan.catalog import quote
from sqlax.compiler.plan.nodes import Node, Project, Scan, column
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.sql.rewrite import find_calls
from sqlax.errors import UnsupportedError


def is_semantic_query(tree: exp.Expr, context: Context) -> bool:
    """Whether a query calls a model, itself or through a CTE that does."""
    tables = (table.name.lower() for table in tree.find_all(exp.Table))
    return bool(find_calls(tree)) or any(name in context.semantic for name in tables)


def plain_scan(tree: exp.Query, context: Context) -> Node:
    """A whole query without semantic calls, run by DuckDB."""
    sql = context.with_clause() + tree.sql("duckdb")
    return Scan(Schema(_distinct_names(context.catalog.describe(sql))), sql)


def _distinct_names(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    seen: dict[str, int] = {}
    renamed = []
    for field in fields:
        number = seen[field.name] = seen.get(field.name, -1) + 1
        renamed.append(Field(f"{field.name}_{number}" if number else field.name, field.type))
    return tuple(renamed)


def table_source(item: exp.Expr, context: Context) -> tuple[Node, Source]:
    """A FROM item that DuckDB can read by itself, its columns named `alias.column`."""
    alias = item.alias_or_name or context.fresh("source")
    text = item.sql("duckdb") + (
        "" if item.alias or isinstance(item, exp.Table) else f" AS {quote(alias)}"
    )
    fields = context.catalog.describe(f"{context.with_clause()}SELECT * FROM {text}")
    prefix = context.prefix(alias)
    renamed = _visible(fields, [f.name for f in fields], prefix, context)
    pairs = zip(fields, renamed.fields, strict=True)
    columns = ", ".join(f"{quote(f.name)} AS {quote(held.name)}" for f, held in pairs)
    rows = context.catalog.expected_rows(f"{context.with_clause()}SELECT * FROM {text}")
    scan = Scan(renamed, f"{context.with_clause()}SELECT {columns} FROM {text}", rows)
    return scan, Source(alias, tuple((f.name, f"{prefix}.{f.name}") for f in fields))


def _visible(fields: tuple[Field, ...], names: list[str], prefix: str, context: Context) -> Schema:
    """The fields as a FROM item shows them; queries inside this one may read them."""
    shown = tuple(
        field.named(f"{prefix}.{name}") for name, field in zip(names, fields, strict=True)
    )
    context.known.update({field.name: field for field in shown})
    return Schema(shown)


def planned_source(plan: Node, item: exp.Expr, context: Context) -> tuple[Node, Source]:
    """A subquery or CTE with semantic calls under the name it has in FROM."""
    if any("\1" in name for name in plan.schema.names):
        text = "return_error_details inside a subquery: take .value or .error there"
        raise UnsupportedError(text, context.sql)
    alias = item.alias_or_name or context.fresh("source")
    given = [
        part.name for part in (item.args.get("alias") or exp.TableAlias()).args.get("columns") or []
    ]
    names = given + _numbered(plan.schema.names[len(given) :])
    prefix = context.prefix(alias)
    schema = _visible(plan.schema.fields, names, prefix, context)
    renamed = Project(schema, plan, tuple(column(name) for name in plan.schema.names))
    return renamed, Source(alias, tuple((n, f"{prefix}.{n}") for n in names))


def _numbered(names: tuple[str, ...]) -> list[str]:
    """What DuckDB calls the columns of a subquery that share a name: a, a_1, a_2."""
    return [name.replace("\0", "_") for name in names]
