"""One SELECT as plan nodes, clause by clause in the order SQL evaluates them.

Semantic calls of WHERE are evaluated after every condition that needs no model; those of the
SELECT list after ORDER BY and LIMIT have dropped the rows that nobody will see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sqlglot import exp

from sqlax.compiler.build.aggregate import Grouping, build_aggregate
from sqlax.compiler.build.attach import attach_plain, settle, where
from sqlax.compiler.build.clause import limited, sorted_by
from sqlax.compiler.build.clauses import Clauses, resolve_clauses
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent import row_number
from sqlax.compiler.build.grouping_sets import GroupBy
from sqlax.compiler.build.join import BuildSource, build_from
from sqlax.compiler.build.lift import DETAILS
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.sink import sink
from sqlax.compiler.build.tree import (
    conjunction,
    conjuncts,
    has_semantic,
    has_subquery,
    is_subquery,
    rewrite,
)
from sqlax.compiler.build.unnest import unnested
from sqlax.compiler.plan.nodes import Distinct, Filter, Node, Project, Score, Window, column
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, UnsupportedError


def build_select(select: exp.Select, context: Context, build_source: BuildSource) -> Node:
    """The plan of one SELECT."""
    plan, scope, conditions = build_from(select, context, build_source)
    _refuse_clauses(select, context)
    clauses = resolve_clauses(select, scope, plan, context)
    where_clause = select.args.get("where")
    if where_clause is not None:
        own = [resolve(o, scope, context) for o in conjuncts(where_clause.this)]
        conditions = own + conditions
    plan = _where_plain(plan, conditions, context)
    semantic = [c for c in conditions if _asks(c, context)]
    grouping = Grouping.of(clauses.expressions(), clauses.group, select, context)
    plan, semantic, clauses = _sink(plan, semantic, clauses, grouping, context)
    plan = _where_semantic(plan, semantic, context)
    if grouping is not None:
        plan, clauses = _aggregate(plan, clauses, context)
    return _tail(plan, select, clauses, context)


def _asks(condition: exp.Expr, context: Context) -> bool:
    """Whether a condition is left for last: it calls a model, itself or in a subquery."""
    keys = [node.expressions[0].name for node in condition.walk() if is_subquery(node)]
    plans = (context.subqueries[key].plan for key in keys)
    below = any(isinstance(node, Score) for plan in plans for node in plan.walk())
    return below or has_semantic(condition)


def _refuse_clauses(select: exp.Select, context: Context) -> None:
    for clause in ("laterals", "pivots", "sample", "connect", "match"):
        if select.args.get(clause):
            raise UnsupportedError(f"{clause.upper()} cannot be compiled yet", context.sql)


def _where_plain(plan: Node, conditions: list[exp.Expr], context: Context) -> Node:
    """The rows that pass the conditions without a model; those with subqueries come last."""
    asking = [condition for condition in conditions if not _asks(condition, context)]
    plain = conjunction([condition for condition in asking if not has_subquery(condition)])
    plan = plan if plain is None else Filter(plan.schema, plan, plain)
    for condition in (c for c in asking if has_subquery(c)):
        plan = where(plan, condition, context)
    return plan


def _where_semantic(plan: Node, conditions: list[exp.Expr], context: Context) -> Node:
    for condition in sorted(conditions, key=has_subquery):
        plan = where(plan, condition, context)
    return plan


def _sink(
    plan: Node,
    semantic: list[exp.Expr],
    clauses: Clauses,
    grouping: Grouping | None,
    context: Context,
) -> tuple[Node, list[exp.Expr], Clauses]:
    """What only DuckDB can compute is computed below the first semantic operator."""
    above = clauses.expressions()
    nothing_below = not any(map(has_semantic, semantic))
    if grouping is not None and nothing_below and not grouping.semantic_below:
        return plan, semantic, clauses
    asking = [condition for condition in semantic if has_semantic(condition)]
    plan, attached = attach_plain(plan, asking, context)
    known = dict(zip(asking, attached, strict=True))
    semantic = [known.get(condition, condition) for condition in semantic]
    if grouping is None and any(map(has_semantic, [*semantic, *above])):
        plan, above = attach_plain(plan, above, context)
    plan, sunk = sink(plan, [*semantic, *above], context)
    return plan, sunk[: len(semantic)], clauses.replaced(sunk[len(semantic) :])


def _aggregate(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    plan, expressions = build_aggregate(plan, clauses.expressions(), clauses.group, context)
    clauses = replace(clauses.replaced(expressions), group=GroupBy([], None))
    plan, expressions = sink(plan, clauses.expressions(), context)
    clauses = clauses.replaced(expressions)
    if clauses.having is None:
        return plan, clauses
    for condition in sorted(conjuncts(clauses.having), key=has_semantic):
        plan = where(plan, condition, context)
    return plan, replace(clauses, having=None)


def _tail(plan: Node, select: exp.Select, clauses: Clauses, context: Context) -> Node:
    """Windows, QUALIFY, DISTINCT, ORDER BY, LIMIT and the output columns."""
    plan, clauses = _windows(plan, clauses, context)
    if clauses.qualify is not None:
        plan = where(plan, clauses.qualify, context)
    plan, clauses = unnested(plan, clauses, context)
    if clauses.on:
        plan, clauses = _first_of_each(plan, clauses, context)
    elif select.args.get("distinct"):
        return _distinct_tail(plan, select, clauses, context)
    plan, values = settle(plan, [key.value for key in clauses.keys], context)
    if clauses.keys and any(map(has_subquery, clauses.outputs)):
        plan, clauses = _joined(plan, clauses, context)
    plan = limited(sorted_by(plan, clauses.keys, values), select, context)
    plan, outputs = settle(plan, clauses.outputs, context)
    return project(plan, clauses.names, outputs, context)


def _joined(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    """The subqueries of the outputs before ORDER BY: DuckDB's joins do not keep an order."""
    plan, outputs = attach_plain(plan, clauses.outputs, context)
    if any(map(has_subquery, outputs)):
        plan, outputs = settle(plan, outputs, context)
    return plan, replace(clauses, outputs=outputs)


def _first_of_each(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    """DISTINCT ON: number the rows of each set of values in the query's order, keep the first."""
    split = len(clauses.on)
    plan, values = settle(plan, [*clauses.on, *(key.value for key in clauses.keys)], context)
    keys = [replace(key, value=v) for key, v in zip(clauses.keys, values[split:], strict=True)]
    name = context.fresh("number")
    call = row_number(tuple(values[:split]), tuple(keys))
    numbered = Window(plan.schema + Schema((Field(name, "BIGINT"),)), plan, (call,))
    first = exp.EQ(this=column(name), expression=exp.Literal.number(1))
    kept = Filter(numbered.schema, numbered, first)
    return kept, replace(clauses, keys=keys, on=[])


def _distinct_tail(plan: Node, select: exp.Select, clauses: Clauses, context: Context) -> Node:
    """DISTINCT comes before ORDER BY, which may then read the output columns only."""
    places = {output: i for i, output in reversed(list(enumerate(clauses.outputs)))}
    if any(key.value not in places for key in clauses.keys):
        raise BindError(
            "ORDER BY of SELECT DISTINCT reads a column that is not selected", context.sql
        )
    plan, outputs = settle(plan, clauses.outputs, context)
    projected = project(plan, clauses.names, outputs, context)
    names = projected.schema.names
    values: list[exp.Expr] = [column(names[places[key.value]]) for key in clauses.keys]
    distinct = Distinct(projected.schema, projected)
    return limited(sorted_by(distinct, clauses.keys, values), select, context)


def _windows(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    """A Window node for the window calls, and the clauses reading its columns."""
    found = (window for e in clauses.expressions() for window in e.find_all(exp.Window))
    calls: list[exp.Expr] = list(dict.fromkeys(found))
    if not calls:
        return plan, clauses
    plan, lifted = settle(plan, calls, context)
    types = context.types(lifted, plan)
    names = [context.fresh("window") for _ in calls]
    fields = tuple(Field(n, t) for n, t in zip(names, types, strict=True))
    plan = Window(plan.schema + Schema(fields), plan, tuple(lifted))
    by_call = dict(zip(calls, names, strict=True))
    replaced = [rewrite(e, _column_for(by_call)) for e in clauses.expressions()]
    return plan, clauses.replaced(replaced)


def _column_for(
    names: dict[exp.Expr, str],
) -> Callable[[exp.Expr], exp.Expr | None]:
    return lambda node: column(names[node]) if node in names else None


def project(plan: Node, names: list[str], outputs: list[exp.Expr], context: Context) -> Node:
    """The output columns, named as given and numbered where a name stands twice."""
    names, outputs = _unpacked(names, [_bare(output) for output in outputs])
    types = context.types(outputs, plan)
    fields: list[Field] = []
    for name, output, kind in zip(names, outputs, types, strict=True):
        taken = sum(1 for field in fields if field.name.split("\0")[0] == name)
        field = Field(f"{name}\0{taken}" if taken else name, kind)
        fields.append(_held(field, output, plan))
    return Project(Schema(tuple(fields)), plan, tuple(outputs))


def _bare(output: exp.Expr) -> exp.Expr:
    """A column without the parentheses of the subquery that it stands for: it is only carried."""
    inner = output.unnest()
    return inner if isinstance(inner, exp.Column) else output


def _held(field: Field, output: exp.Expr, plan: Node) -> Field:
    is_field = isinstance(output, exp.Column) and output.name in plan.schema
    return field.held_as(plan.schema[output.name]) if is_field else field


def _unpacked(names: list[str], outputs: list[exp.Expr]) -> tuple[list[str], list[exp.Expr]]:
    """Each answer with error details as two columns; the result packs them into a STRUCT."""
    pairs: list[tuple[str, exp.Expr]] = []
    for name, output in zip(names, outputs, strict=True):
        if isinstance(output, exp.Struct) and DETAILS in output.meta:
            pairs += [(f"{name}\1{p.name}", p.expression) for p in output.expressions]
        else:
            pairs.append((name, output))
    return [name for name, _ in pairs], [output for _, output in pairs]
