"""The clauses of a SELECT that are evaluated after WHERE, their names bound."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqlglot import exp

from sqlax.compiler.build.aggregate import Grouping
from sqlax.compiler.build.clause import order_items, ordinal
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.grouping_sets import GroupBy, grouping_sets
from sqlax.compiler.build.names import output_names
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope
from sqlax.compiler.plan.nodes import Node, SortItem


@dataclass
class Clauses:
    """The resolved clauses.

    Attributes:
        names: output column names.
        outputs: output expressions.
        keys: ORDER BY.
        having: condition of HAVING.
        qualify: condition of QUALIFY.
        on: expressions of DISTINCT ON.
        group: GROUP BY.
    """

    names: list[str]
    outputs: list[exp.Expr]
    keys: list[SortItem]
    having: exp.Expr | None
    qualify: exp.Expr | None
    on: list[exp.Expr]
    group: GroupBy

    def expressions(self) -> list[exp.Expr]:
        """Every expression, in one fixed order."""
        optional = [e for e in (self.having, self.qualify) if e is not None]
        ordering = [*(key.value for key in self.keys), *self.on]
        return [*self.outputs, *ordering, *self.group.keys, *optional]

    def replaced(self, expressions: list[exp.Expr]) -> Clauses:
        """The clauses with their expressions replaced, given in the order of `expressions`."""
        rest = iter(expressions)
        outputs = [next(rest) for _ in self.outputs]
        keys = [replace(key, value=next(rest)) for key in self.keys]
        on = [next(rest) for _ in self.on]
        group = replace(self.group, keys=[next(rest) for _ in self.group.keys])
        having = None if self.having is None else next(rest)
        qualify = None if self.qualify is None else next(rest)
        return Clauses(self.names, outputs, keys, having, qualify, on, group)


def resolve_clauses(select: exp.Select, scope: Scope, plan: Node, context: Context) -> Clauses:
    """The clauses of a SELECT over what its FROM makes visible."""
    select = _with_named_windows(select)
    names, outputs = _outputs(select, scope, plan, context)
    having, qualify = select.args.get("having"), select.args.get("qualify")
    return Clauses(
        names,
        outputs,
        order_items(select, outputs, scope, context),
        None if having is None else resolve(having.this, scope, context),
        None if qualify is None else resolve(qualify.this, scope, context),
        _distinct_on(select, outputs, scope, context),
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
            for name, value, is_bound in scope.expand_star(item):
                names.append(name)
                outputs.append(value if is_bound else resolve(value, scope, context))
            continue
        resolved = resolve(item.unalias(), scope, context)
        if item.alias:
            scope.aliases.setdefault(item.alias.lower(), resolved)
        names.append(own_name)
        outputs.append(resolved)
    return names, outputs


def _distinct_on(
    select: exp.Select, outputs: list[exp.Expr], scope: Scope, context: Context
) -> list[exp.Expr]:
    clause = select.args.get("distinct")
    on = clause.args.get("on") if clause is not None else None
    return [
        ordinal(item, outputs, context) or resolve(item, scope, context, alias_first=True)
        for item in (on.expressions if on is not None else [])
    ]


def _group(select: exp.Select, outputs: list[exp.Expr], scope: Scope, context: Context) -> GroupBy:
    clause = select.args.get("group")
    if clause is None:
        return GroupBy([], None)
    if clause.args.get("all"):
        keys = [o.copy() for o in outputs if not any(Grouping.aggregates_in(o, context))]
        return GroupBy(keys, None)

    def bind(item: exp.Expr) -> exp.Expr:
        return ordinal(item, outputs, context) or resolve(item, scope, context)

    return grouping_sets(clause, bind)


def _with_named_windows(select: exp.Select) -> exp.Select:
    """The SELECT with each window of its WINDOW clause written out where it is used."""
    named = {window.this.name.lower(): window for window in select.args.get("windows") or []}
    if not named:
        return select
    changed = select.copy()
    changed.set("windows", None)
    for window in changed.find_all(exp.Window):
        base = named.get((window.args.get("alias") or exp.to_identifier("")).name.lower())
        if base is not None:
            window.set("alias", None)
            for part in ("partition_by", "order", "spec"):
                if not window.args.get(part) and base.args.get(part):
                    value = base.args[part]
                    copied = [v.copy() for v in value] if isinstance(value, list) else value.copy()
                    window.set(part, copied)
    return changed
