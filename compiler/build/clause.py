"""ORDER BY, LIMIT and OFFSET, of a SELECT and of a set operation."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.lowering.expressions import is_constant
from sqlax.compiler.plan.nodes import Limit, Node, Sort, SortItem
from sqlax.errors import BindError, UnsupportedError


def order_items(
    tree: exp.Query, outputs: list[exp.Expr], scope: Scope, context: Context
) -> list[SortItem]:
    """The keys of a query's ORDER BY over what its outputs read; a constant orders nothing."""
    clause = tree.args.get("order")
    items: list[SortItem] = []
    for ordered in clause.expressions if clause is not None else []:
        descending = bool(ordered.args.get("desc"))
        nulls_first = bool(ordered.args.get("nulls_first"))
        if isinstance(ordered.this, exp.Var) and ordered.this.name.upper() == "ALL":
            items += [SortItem(o, descending, nulls_first) for o in outputs]
            continue
        value = ordinal(ordered.this, outputs, context)
        resolved = value or resolve(ordered.this, scope, context, alias_first=True)
        items.append(SortItem(resolved, descending, nulls_first))
    return [item for item in items if not is_constant(item.value)]


def ordinal(node: exp.Expr, outputs: list[exp.Expr], context: Context) -> exp.Expr | None:
    """The output that a bare number names: `ORDER BY 2`."""
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    place = int(node.name)
    if not 1 <= place <= len(outputs):
        raise BindError(
            f"position {place} is not among the {len(outputs)} output columns", context.sql
        )
    return outputs[place - 1].copy()


def sorted_by(plan: Node, keys: list[SortItem], values: list[exp.Expr]) -> Node:
    """The plan in the order of the keys, whose values over it are given."""
    items = tuple(replace(key, value=value) for key, value in zip(keys, values, strict=True))
    return Sort(plan.schema, plan, items) if items else plan


def limited(plan: Node, tree: exp.Query, context: Context) -> Node:
    """The plan with the query's LIMIT and OFFSET."""
    count = _whole_number(tree, "limit", context)
    offset = _whole_number(tree, "offset", context) or 0
    return plan if count is None and not offset else Limit(plan.schema, plan, count, offset)


def _whole_number(tree: exp.Query, clause: str, context: Context) -> int | None:
    node = tree.args.get(clause)
    if node is None:
        return None
    number = node.args["count"] if isinstance(node, exp.Fetch) else node.expression
    options = node.args.get("limit_options")
    is_share = options is not None and (
        options.args.get("percent") or options.args.get("with_ties")
    )
    if is_share or number.find(exp.Column, exp.Query):
        raise UnsupportedError(f"{clause.upper()} must be a constant number of rows", context.sql)
    ((value,),) = context.catalog.rows(f"SELECT CAST({number.sql('duckdb')} AS BIGINT)")
    return int(value) if value is not None else None
