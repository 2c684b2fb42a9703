"""UNNEST in FROM: a row's list, each of its elements a row."""

from __future__ import annotations

from sqlglot import exp

from sqlax.compiler.build.attach import settle
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope, Source
from sqlax.compiler.plan.nodes import Node, Unnest
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.compiler.sql.rewrite import find_calls
from sqlax.errors import UnsupportedError


def is_list_of_row(item: exp.Expr) -> bool:
    """Whether a FROM item is the elements of a list that a model or the other items give."""
    unnest = _unnest(item)
    return unnest is not None and bool(find_calls(unnest) or unnest.find(exp.Column))


def with_elements(
    plan: Node, item: exp.Expr, scope: Scope, context: Context, *, keeps_all: bool = False
) -> tuple[Node, Source]:
    """The rows of a plan, each once for every element of a list, and the element's name.

    SQL before and after::

        FROM t, UNNEST(AI_EXTRACT(x, {'names': 'VARCHAR[]'}).names) AS u(name)
        FROM (SELECT *, UNNEST(AI_EXTRACT(x, {'names': 'VARCHAR[]'}).names) AS name FROM t)

    Args:
        plan: the FROM items to the left.
        item: a FROM item for which `is_list_of_row` holds.
        scope: their names, which the list may read.
        context: the query's context.
        keeps_all: a row without elements stays, with NULL in place of one, as in a LEFT JOIN.
    """
    plan, (value,) = settle(plan, [_list(item, scope, context)], context)
    if keeps_all:
        value = _or_null(value, context.types([value], plan)[0])
    call = exp.Explode(this=value)
    (kind,) = context.types([call], plan)
    alias, name = _names(item)
    field = Field(f"{context.prefix(alias)}.{name}", kind)
    context.known[field.name] = field
    return Unnest(plan.schema + Schema((field,)), plan, (call,)), Source(
        alias, ((name, field.name),)
    )


def _unnest(item: exp.Expr) -> exp.Unnest | None:
    inner = item.this if isinstance(item, exp.Lateral) else item
    return inner if isinstance(inner, exp.Unnest) else None


def _list(item: exp.Expr, scope: Scope, context: Context) -> exp.Expr:
    unnest = _unnest(item)
    assert unnest is not None
    if unnest.args.get("offset"):
        raise UnsupportedError("UNNEST WITH ORDINALITY cannot be compiled yet", context.sql)
    return resolve(unnest.expressions[0], scope, context)


def _or_null(value: exp.Expr, kind: str) -> exp.Expr:
    """The list, or one of a NULL where it has no elements."""
    size = exp.Anonymous(this="len", expressions=[value.copy()])
    null = exp.cast(exp.Array(expressions=[exp.Null()]), exp.DataType.build(kind, dialect="duckdb"))
    has_some = exp.GT(this=size, expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=has_some, true=value)], default=null)


def _names(item: exp.Expr) -> tuple[str, str]:
    """What the item is called, and its column: DuckDB calls the column as the item."""
    alias = item.alias or "unnest"
    columns = (item.args.get("alias") or exp.TableAlias()).args.get("columns") or []
    return alias, columns[0].name if columns else alias
