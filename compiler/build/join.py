"""FROM and its joins: sources joined left to right, ON split into keys and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.build.attach import where
from sqlax.compiler.build.comma import bracket_items
from sqlax.compiler.build.conditions import join as join_nodes
from sqlax.compiler.build.context import Context
from sqlax.compiler.build.dependent import with_outer_values
from sqlax.compiler.build.elements import is_list_of_row, with_elements
from sqlax.compiler.build.pair_join import pair_join
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope, Source
from sqlax.compiler.build.subquery import free_columns
from sqlax.compiler.build.tree import conjuncts, has_semantic, has_subquery
from sqlax.compiler.plan.nodes import (
    KEEPS_LEFT_ONLY,
    JoinKind,
    Node,
    Scan,
    column,
    columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, UnsupportedError

BuildSource: TypeAlias = Callable[[exp.Expr, Context], tuple[Node, list[Source]]]


def build_from(
    select: exp.Select, context: Context, build_source: BuildSource
) -> tuple[Node, Scope, list[exp.Expr]]:
    """The joined plan, the names it makes visible, and conditions of ON left for WHERE."""
    clause = select.args.get("from_")
    scope = Scope([], context.sql, parent=context.outer)
    if clause is None:
        return _one_row(context), scope, []
    joins = [*(clause.this.args.get("joins") or []), *(select.args.get("joins") or [])]
    items = bracket_items(joins)
    plan, pending = join_items(clause.this, items, scope, context, build_source)
    return plan, scope, pending


def _one_row(context: Context) -> Node:
    one = context.fresh("one")
    return Scan(Schema((Field(one, "INTEGER"),)), f'SELECT 1 AS "{one}"')


def join_items(
    first: exp.Expr,
    joins: list[exp.Join],
    scope: Scope,
    context: Context,
    build_source: BuildSource,
) -> tuple[Node, list[exp.Expr]]:
    """The first item joined with the others, left to right; their names are added to the scope."""
    first = first.copy()
    first.set("joins", None)  # `FROM a JOIN b SELECT ...` hangs its joins on the table
    if is_list_of_row(first):
        plan, source = with_elements(_one_row(context), first, scope, context)
        sources = [source]
    else:
        plan, sources = build_source(first, context)
    scope.sources.extend(sources)
    pending: list[exp.Expr] = []
    for item in joins:
        if item.side.upper() in ("RIGHT", "FULL"):  # they keep rows that a condition drops
            while pending:
                plan = where(plan, pending.pop(0), context)
        plan = _Joiner(scope, context, build_source, pending).join(plan, item)
    return plan, pending


class _Joiner:
    """Joins one FROM item to what stands left of it.

    Args:
        scope: the names visible so far.
        context: the query's context.
        build_source: plans a FROM item.
        pending: where conditions go that are evaluated above an inner join.
    """

    def __init__(
        self, scope: Scope, context: Context, build_source: BuildSource, pending: list[exp.Expr]
    ) -> None:
        self.scope = scope
        self.context = context
        self.build_source = build_source
        self.pending = pending

    def join(self, left: Node, item: exp.Join) -> Node:
        """The join of `left` with one item."""
        if is_list_of_row(item.this):
            return self._elements(left, item)
        visible = Scope(
            list(self.scope.sources),
            self.scope.sql,
            set(self.scope.hidden),
            dict(self.scope.merged),
            parent=self.scope.parent,
        )
        right, sources = self.build_source(item.this, self.context.inside(visible))
        self._check_names(sources)
        kind = _kind(item)
        using = self._using(item, sources, kind)
        self.scope.sources.extend(sources)
        operands = [resolve(o, self.scope, self.context) for o in _on(item)]
        if kind in (JoinKind.SEMI, JoinKind.ANTI):
            del self.scope.sources[-len(sources) :]
        asking = [o for o in operands if has_semantic(o) or has_subquery(o)]
        plain = [o for o in operands if o not in asking]
        if asking and kind is JoinKind.INNER:
            self.pending.extend(asking)
        elif asking:
            return self._asking(left, right, item, using + plain, asking)
        return self._node(left, right, item, kind, using + plain)

    def _elements(self, left: Node, item: exp.Join) -> Node:
        """The rows of `left` with the elements of a list."""
        conditions, keeps_all = _on(item), item.side.upper() == "LEFT"
        is_plain = not item.args.get("using") and item.method.upper() != "NATURAL"
        inner = _kind(item) is JoinKind.INNER and is_plain
        if not inner and not (keeps_all and is_plain and not conditions):
            text = f"{_sql_kind(item)} JOIN with UNNEST and such a condition cannot be compiled yet"
            raise UnsupportedError(text, self.context.sql)
        plan, source = with_elements(left, item.this, self.scope, self.context, keeps_all=keeps_all)
        self._check_names([source])
        self.scope.sources.append(source)
        self.pending.extend(resolve(o, self.scope, self.context) for o in conditions)
        return plan

    def _check_names(self, sources: list[Source]) -> None:
        names = {source.name.lower() for source in self.scope.sources}
        for source in sources:
            if source.name.lower() in names:
                raise BindError(
                    f"table name {source.name!r} stands twice in FROM", self.context.sql
                )

    def _asking(
        self,
        left: Node,
        right: Node,
        item: exp.Join,
        plain: list[exp.Expr],
        asking: list[exp.Expr],
    ) -> Node:
        """A join that keeps rows without a match, whose condition asks a model or a subquery."""
        kind = _kind(item)
        if kind is JoinKind.OTHER or free_columns(right):
            text = f"{_sql_kind(item)} JOIN with such a condition cannot be compiled yet"
            raise UnsupportedError(text, self.context.sql)
        if item.side.upper() == "RIGHT":
            left, right = right, left
        return pair_join(left, right, kind, [*plain, *asking], self.context)

    def _node(
        self, left: Node, right: Node, item: exp.Join, kind: JoinKind, conditions: list[exp.Expr]
    ) -> Node:
        local = {name for name in free_columns(right) if self.scope.owns(name)}
        if local:
            return self._lateral(left, right, local, kind, conditions)
        if item.side.upper() == "RIGHT" and kind is JoinKind.LEFT:
            left, right = right, left
        other = _sql_kind(item) if kind is JoinKind.OTHER else ""
        return join_nodes(left, right, kind, conditions, _schema(left, right, item), other=other)

    def _lateral(
        self, left: Node, right: Node, local: set[str], kind: JoinKind, conditions: list[exp.Expr]
    ) -> Node:
        """A side that reads columns of the other: it is computed for each set of their values."""
        if kind not in (JoinKind.INNER, JoinKind.LEFT):
            raise UnsupportedError("such a LATERAL join cannot be compiled", self.context.sql)
        values: dict[str, exp.Expr] = {name: column(name) for name in sorted(local)}
        pulled = with_outer_values(right, left, values, self.context)
        schema = left.schema + pulled.plan.schema
        return join_nodes(left, pulled.plan, kind, [*pulled.conditions, *conditions], schema)

    def _using(self, item: exp.Join, sources: list[Source], kind: JoinKind) -> list[exp.Expr]:
        """Conditions of USING or NATURAL; the right side's columns are hidden from then on."""
        names = [part.name for part in item.args.get("using") or []]
        if item.method.upper() == "NATURAL":
            left = {name.lower() for s in self.scope.sources for name, _ in s.columns}
            names = [n for s in sources for n, _ in s.columns if n.lower() in left]
        return [self._same(name, sources, item) for name in names]

    def _same(self, name: str, sources: list[Source], item: exp.Join) -> exp.Expr:
        found = [field for s in sources if (field := s.find(name)) is not None]
        if not found:
            raise BindError(f"USING: no column {name!r} on the right side", self.context.sql)
        right = found[0]
        left = self.scope.resolve(exp.column(name))
        self._merge(left, right, item)
        return exp.EQ(this=left, expression=column(right))

    def _merge(self, left: exp.Expr, right: str, item: exp.Join) -> None:
        """Let the name alone mean the left column, or what has a value in an outer join."""
        self.scope.hidden.add(right)
        field = next(columns for columns in sorted(columns_of(left)))
        if item.side.upper() == "RIGHT":
            self.scope.merged[field] = column(right)
        elif item.side.upper() == "FULL":
            both = exp.Coalesce(this=left.copy(), expressions=[column(right)])
            self.scope.merged[field] = both


def _schema(left: Node, right: Node, item: exp.Join) -> Schema:
    keeps_left = _kind(item) in KEEPS_LEFT_ONLY or item.kind.upper() in ("SEMI", "ANTI")
    return left.schema if keeps_left else left.schema + right.schema


def _on(join: exp.Join) -> list[exp.Expr]:
    condition = join.args.get("on")
    operands = conjuncts(condition) if condition is not None else []
    return [o for o in operands if not (isinstance(o, exp.Boolean) and o.this)]


def _kind(join: exp.Join) -> JoinKind:
    method, kind = join.method.upper(), join.kind.upper()
    if method not in ("", "NATURAL") or kind not in _PLAIN:
        return JoinKind.OTHER
    return JoinKind(kind.lower()) if kind in ("SEMI", "ANTI") else _SIDES[join.side.upper()]


_PLAIN = ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI")
_SIDES = {"": JoinKind.INNER, "LEFT": JoinKind.LEFT, "RIGHT": JoinKind.LEFT, "FULL": JoinKind.FULL}


def _sql_kind(join: exp.Join) -> str:
    words = (join.method, join.side, join.kind)
    return " ".join(word.upper() for word in words if word) or "INNER"
