"""One SELECT as plan nodes, clause by clause in the order SQL evaluates them.

Semantic calls of WHERE are evaluated after every condition that needs no model; those of the
SELECT list after ORDER BY and LIMIT have dropped the rows that nobody will see.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from sqlax.compiler.build.aggregate import Grouping, build_aggregate
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.join import BuildSource, build_from
from sqlax.compiler.build.lift import lift
from sqlax.compiler.build.names import output_names
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.build.sink import sink
from sqlax.compiler.build.tree import conjunction, conjuncts, has_semantic, rewrite
from sqlax.compiler.plan.nodes import (
    Distinct,
    Filter,
    Limit,
    Node,
    Project,
    Sort,
    SortItem,
    Window,
    column,
)
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, UnsupportedError


@dataclass
class Clauses:
    """The resolved clauses of a SELECT that are evaluated after WHERE.

    Attributes:
        names: output column names.
        outputs: output expressions.
        keys: ORDER BY.
        having: condition of HAVING.
        qualify: condition of QUALIFY.
        group: expressions of GROUP BY.
    """

    names: list[str]
    outputs: list[exp.Expr]
    keys: list[SortItem]
    having: exp.Expr | None
    qualify: exp.Expr | None
    group: list[exp.Expr]

    def expressions(self) -> list[exp.Expr]:
        """Every expression, in one fixed order."""
        optional = [e for e in (self.having, self.qualify) if e is not None]
        return [*self.outputs, *(key.value for key in self.keys), *self.group, *optional]

    def replaced(self, expressions: list[exp.Expr]) -> Clauses:
        """The clauses with their expressions replaced, given in the order of `expressions`."""
        rest = iter(expressions)
        outputs = [next(rest) for _ in self.outputs]
        keys = [replace(key, value=next(rest)) for key in self.keys]
        group = [next(rest) for _ in self.group]
        having = None if self.having is None else next(rest)
        qualify = None if self.qualify is None else next(rest)
        return Clauses(self.names, outputs, keys, having, qualify, group)


def build_select(select: exp.Select, context: Context, build_source: BuildSource) -> Node:
    """The plan of one SELECT that calls a model somewhere."""
    plan, scope, conditions = build_from(select, context, build_source)
    _refuse_clauses(select, context)
    clauses = _clauses(select, scope, plan, context)
    where = select.args.get("where")
    if where is not None:
        conditions = [resolve(o, scope, context) for o in conjuncts(where.this)] + conditions
    plan = _where_plain(plan, conditions)
    semantic = [condition for condition in conditions if has_semantic(condition)]
    grouping = Grouping.of(clauses.expressions(), clauses.group, select, context)
    plan, semantic, clauses = _sink(plan, semantic, clauses, grouping, context)
    plan = _where_semantic(plan, semantic, context)
    if grouping is not None:
        plan, clauses = _aggregate(plan, clauses, context)
    return _tail(plan, select, clauses, context)


def _refuse_clauses(select: exp.Select, context: Context) -> None:
    for clause in ("laterals", "pivots", "sample", "connect", "match", "windows"):
        if select.args.get(clause):
            text = f"{clause.upper()} beside a semantic call cannot be compiled yet"
            raise UnsupportedError(text, context.sql)


def _where_plain(plan: Node, conditions: list[exp.Expr]) -> Node:
    plain = conjunction([condition for condition in conditions if not has_semantic(condition)])
    return plan if plain is None else Filter(plan.schema, plan, plain)


def _where_semantic(plan: Node, conditions: list[exp.Expr], context: Context) -> Node:
    for condition in conditions:
        plan, (predicate,) = lift(plan, [condition], context.templates)
        plan = Filter(plan.schema, plan, predicate)
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
    plan, sunk = sink(plan, [*semantic, *above], context)
    return plan, sunk[: len(semantic)], clauses.replaced(sunk[len(semantic) :])


def _aggregate(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    plan, expressions = build_aggregate(plan, clauses.expressions(), clauses.group, context)
    clauses = replace(clauses.replaced(expressions), group=[])
    plan, expressions = sink(plan, clauses.expressions(), context)
    clauses = clauses.replaced(expressions)
    if clauses.having is None:
        return plan, clauses
    for condition in sorted(conjuncts(clauses.having), key=has_semantic):
        plan, (predicate,) = lift(plan, [condition], context.templates)
        plan = Filter(plan.schema, plan, predicate)
    return plan, replace(clauses, having=None)


def _tail(plan: Node, select: exp.Select, clauses: Clauses, context: Context) -> Node:
    """Windows, QUALIFY, DISTINCT, ORDER BY, LIMIT and the output columns."""
    plan, clauses = _windows(plan, clauses, context)
    if clauses.qualify is not None:
        plan, (predicate,) = lift(plan, [clauses.qualify], context.templates)
        plan = Filter(plan.schema, plan, predicate)
    if select.args.get("distinct"):
        return _distinct_tail(plan, select, clauses, context)
    plan, values = lift(plan, [key.value for key in clauses.keys], context.templates)
    plan = _sort(plan, clauses.keys, values)
    plan = _limit(plan, select, context)
    plan, outputs = lift(plan, clauses.outputs, context.templates)
    return project(plan, clauses.names, outputs, context)


def _distinct_tail(plan: Node, select: exp.Select, clauses: Clauses, context: Context) -> Node:
    """DISTINCT comes before ORDER BY, which may then read the output columns only."""
    if select.args["distinct"].args.get("on"):
        raise UnsupportedError(
            "DISTINCT ON beside a semantic call cannot be compiled yet", context.sql
        )
    places = {output: i for i, output in reversed(list(enumerate(clauses.outputs)))}
    if any(key.value not in places for key in clauses.keys):
        raise BindError(
            "ORDER BY of SELECT DISTINCT reads a column that is not selected", context.sql
        )
    plan, outputs = lift(plan, clauses.outputs, context.templates)
    projected = project(plan, clauses.names, outputs, context)
    names = projected.schema.names
    values: list[exp.Expr] = [column(names[places[key.value]]) for key in clauses.keys]
    return _limit(
        _sort(Distinct(projected.schema, projected), clauses.keys, values), select, context
    )


def _sort(plan: Node, keys: list[SortItem], values: list[exp.Expr]) -> Node:
    items = tuple(replace(key, value=value) for key, value in zip(keys, values, strict=True))
    return Sort(plan.schema, plan, items) if items else plan


def _limit(plan: Node, select: exp.Select, context: Context) -> Node:
    count = _whole_number(select, "limit", context)
    offset = _whole_number(select, "offset", context) or 0
    return plan if count is None and not offset else Limit(plan.schema, plan, count, offset)


def _whole_number(select: exp.Select, clause: str, context: Context) -> int | None:
    node = select.args.get(clause)
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


def _windows(plan: Node, clauses: Clauses, context: Context) -> tuple[Node, Clauses]:
    """A Window node for the window calls, and the clauses reading its columns."""
    found = (window for e in clauses.expressions() for window in e.find_all(exp.Window))
    calls: list[exp.Expr] = list(dict.fromkeys(found))
    if not calls:
        return plan, clauses
    plan, lifted = lift(plan, list(calls), context.templates)
    types = context.catalog.types_of(lifted, plan.schema)
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
    names, outputs = _unpacked(names, outputs)
    types = context.catalog.types_of(outputs, plan.schema)
    fields: list[Field] = []
    for name, output, kind in zip(names, outputs, types, strict=True):
        taken = sum(1 for field in fields if field.name.split("\0")[0] == name)
        labels = plan.schema[output.name].labels if isinstance(output, exp.Column) else None
        fields.append(Field(f"{name}\0{taken}" if taken else name, kind, labels))
    return Project(Schema(tuple(fields)), plan, tuple(outputs))


def _unpacked(names: list[str], outputs: list[exp.Expr]) -> tuple[list[str], list[exp.Expr]]:
    """Each answer with error details as two columns; the result packs them into a STRUCT."""
    pairs: list[tuple[str, exp.Expr]] = []
    for name, output in zip(names, outputs, strict=True):
        if isinstance(output, exp.Struct):
            pairs += [(f"{name}\1{p.name}", p.expression) for p in output.expressions]
        else:
            pairs.append((name, output))
    return [name for name, _ in pairs], [output for _, output in pairs]


def _clauses(select: exp.Select, scope: Scope, plan: Node, context: Context) -> Clauses:
    names, outputs = _outputs(select, scope, plan, context)
    having, qualify = select.args.get("having"), select.args.get("qualify")
    return Clauses(
        names,
        outputs,
        _order(select, names, outputs, scope, context),
        None if having is None else resolve(having.this, scope, context),
        None if qualify is None else resolve(qualify.this, scope, context),
        _group(select, outputs, scope, context),
    )


def _outputs(
    select: exp.Select, scope: Scope, plan: Node, context: Context
) -> tuple[list[str], list[exp.Expr]]:
    own_names = output_names(select, scope, plan, context)
    names: list[str] = []
    outputs: list[exp.Expr] = []
    for item, own_name in zip(select.expressions, own_names, strict=True):
        if item.is_star and not isinstance(item, exp.Count):
            for name, expression in scope.expand_star(item):
                names.append(name)
                outputs.append(resolve_star(expression, scope, context))
            continue
        resolved = resolve(item.unalias(), scope, context)
        if item.alias:
            scope.aliases.setdefault(item.alias.lower(), resolved)
        names.append(own_name)
        outputs.append(resolved)
    return names, outputs


def resolve_star(expression: exp.Expr, scope: Scope, context: Context) -> exp.Expr:
    """A column of a star; what REPLACE put there still has names to bind."""
    bound = isinstance(expression, exp.Column) and expression.this.quoted and not expression.meta
    return expression if bound else resolve(expression, scope, context)


def _order(
    select: exp.Select,
    names: list[str],
    outputs: list[exp.Expr],
    scope: Scope,
    context: Context,
) -> list[SortItem]:
    clause = select.args.get("order")
    items: list[SortItem] = []
    for ordered in clause.expressions if clause is not None else []:
        descending, nulls_first = (
            bool(ordered.args.get("desc")),
            bool(ordered.args.get("nulls_first")),
        )
        if isinstance(ordered.this, exp.Var) and ordered.this.name.upper() == "ALL":
            items += [SortItem(o, descending, nulls_first) for o in outputs]
            continue
        value = _ordinal(ordered.this, outputs, context)
        resolved = value or resolve(ordered.this, scope, context, alias_first=True)
        items.append(SortItem(resolved, descending, nulls_first))
    return items


def _ordinal(node: exp.Expr, outputs: list[exp.Expr], context: Context) -> exp.Expr | None:
    """The output that a bare number names: `ORDER BY 2`."""
    if not isinstance(node, exp.Literal) or node.is_string:
        return None
    place = int(node.name)
    if not 1 <= place <= len(outputs):
        raise BindError(
            f"position {place} is not among the {len(outputs)} output columns", context.sql
        )
    return outputs[place - 1].copy()


def _group(
    select: exp.Select, outputs: list[exp.Expr], scope: Scope, context: Context
) -> list[exp.Expr]:
    clause = select.args.get("group")
    if clause is None:
        return []
    sets = (exp.Rollup, exp.Cube, exp.GroupingSets)
    held = [clause.args.get(kind) for kind in ("rollup", "cube", "grouping_sets")]
    if any(held) or any(isinstance(item, sets) for item in clause.expressions):
        raise UnsupportedError(
            "GROUPING SETS beside a semantic call cannot be compiled yet", context.sql
        )
    if clause.args.get("all"):
        return [o.copy() for o in outputs if not any(Grouping.aggregates_in(o, context))]
    return [
        _ordinal(item, outputs, context) or resolve(item, scope, context)
        for item in clause.expressions
    ]
