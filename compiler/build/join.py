"""FROM and its joins: sources joined left to right, ON split into keys and the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from sqlax.compiler.build.context import Context
from sqlax.compiler.build.resolve import resolve
from sqlax.compiler.build.scope import Scope, Source
from sqlax.compiler.build.tree import conjunction, conjuncts, has_semantic
from sqlax.compiler.plan.nodes import (
    KEEPS_LEFT_ONLY,
    Filter,
    Join,
    JoinKey,
    JoinKind,
    Node,
    Scan,
    column,
    columns_of,
)
from sqlax.compiler.plan.schema import Field, Schema
from sqlax.errors import BindError, UnsupportedError

BuildSource: TypeAlias = Callable[[exp.Expr, Context], tuple[Node, Source]]
Keys: TypeAlias = tuple[JoinKey, ...]


def build_from(
    select: exp.Select, context: Context, build_source: BuildSource
) -> tuple[Node, Scope, list[exp.Expr]]:
    """The joined plan, the names it makes visible, and semantic conditions left for WHERE."""
    clause = select.args.get("from_")
    scope = Scope([], context.sql)
    if clause is None:
        return Scan(Schema((Field("#one", "INTEGER"),)), 'SELECT 1 AS "#one"'), scope, []
    first = clause.this.copy()
    first.set("joins", None)  # `FROM a JOIN b SELECT ...` hangs its joins on the table
    plan, source = build_source(first, context)
    scope.sources.append(source)
    pending: list[exp.Expr] = []
    for join in [*(clause.this.args.get("joins") or []), *(select.args.get("joins") or [])]:
        if pending and join.side.upper() in ("RIGHT", "FULL"):
            text = f"{_sql_kind(join)} JOIN after a semantic condition cannot be compiled yet"
            raise UnsupportedError(text, context.sql)
        plan = _join(plan, join, scope, context, build_source, pending)
    return plan, scope, pending


def _join(
    left: Node,
    join: exp.Join,
    scope: Scope,
    context: Context,
    build_source: BuildSource,
    pending: list[exp.Expr],
) -> Node:
    right, source = build_source(join.this, context)
    if set(right.schema.names) & set(left.schema.names):
        raise BindError(f"table name {source.name!r} stands twice in FROM", context.sql)
    using = _using_keys(join, scope, source, context)
    scope.sources.append(source)
    operands = [resolve(o, scope, context) for o in _on(join)]
    if _keeps_left_only(join):
        scope.sources.pop()
    semantic = [operand for operand in operands if has_semantic(operand)]
    plain = [operand for operand in operands if not has_semantic(operand)]
    kind = _kind(join)
    if semantic and kind is not JoinKind.INNER:
        text = f"{_sql_kind(join)} JOIN with a semantic condition cannot be compiled yet"
        raise UnsupportedError(text, context.sql)
    pending.extend(semantic)
    keys, rest = _split(plain, left, right)
    if join.side.upper() == "RIGHT" and kind is JoinKind.LEFT:
        left, right = right, left
        keys = tuple(JoinKey(key.right, key.left) for key in keys)
    return _node(left, right, join, kind, (*using, *keys), rest)


def _node(
    left: Node,
    right: Node,
    join: exp.Join,
    kind: JoinKind,
    keys: Keys,
    rest: list[exp.Expr],
) -> Node:
    """The join; conditions beyond the keys of an inner join become a filter above it."""
    schema = left.schema if kind in KEEPS_LEFT_ONLY else left.schema + right.schema
    other = _sql_kind(join) if kind is JoinKind.OTHER else ""
    residual = conjunction(rest)
    if kind is not JoinKind.INNER or residual is None:
        return Join(schema, left, right, kind, keys, residual, other=other)
    return Filter(schema, Join(schema, left, right, kind, keys), residual)


def _on(join: exp.Join) -> list[exp.Expr]:
    condition = join.args.get("on")
    return conjuncts(condition) if condition is not None else []


def _kind(join: exp.Join) -> JoinKind:
    if join.method or join.kind.upper() not in ("", "INNER", "CROSS", "OUTER", "SEMI", "ANTI"):
        return JoinKind.OTHER
    if join.kind.upper() in ("SEMI", "ANTI"):
        return JoinKind(join.kind.lower())
    return _SIDES[join.side.upper()]


_SIDES = {"": JoinKind.INNER, "LEFT": JoinKind.LEFT, "RIGHT": JoinKind.LEFT, "FULL": JoinKind.FULL}


def _keeps_left_only(join: exp.Join) -> bool:
    return join.kind.upper() in ("SEMI", "ANTI")


def _sql_kind(join: exp.Join) -> str:
    words = (join.method, join.side, join.kind)
    return " ".join(word.upper() for word in words if word) or "INNER"


def _split(operands: list[exp.Expr], left: Node, right: Node) -> tuple[Keys, list[exp.Expr]]:
    """Equalities between the two sides, and everything else."""
    keys: list[JoinKey] = []
    rest: list[exp.Expr] = []
    for operand in operands:
        pair = _key(operand, set(left.schema.names), set(right.schema.names))
        if pair is None:
            rest.append(operand)
        else:
            keys.append(JoinKey(*pair))
    return tuple(keys), rest


def _key(operand: exp.Expr, left: set[str], right: set[str]) -> tuple[exp.Expr, exp.Expr] | None:
    if not isinstance(operand, exp.EQ) or operand.find(exp.Query):
        return None
    a, b = operand.this, operand.expression
    reads_a, reads_b = columns_of(a), columns_of(b)
    if not reads_a or not reads_b:
        return None
    if reads_a <= left and reads_b <= right:
        return a, b
    return (b, a) if reads_b <= left and reads_a <= right else None


def _using_keys(join: exp.Join, scope: Scope, source: Source, context: Context) -> Keys:
    """Key pairs of USING or NATURAL; the right side's columns are hidden from then on."""
    names = [part.name for part in join.args.get("using") or []]
    if names and join.side.upper() in ("RIGHT", "FULL"):
        text = f"{_sql_kind(join)} JOIN with USING beside a semantic call: write ON"
        raise UnsupportedError(text, context.sql)
    if join.method.upper() == "NATURAL":
        left = {name.lower() for s in scope.sources for name, _ in s.columns}
        names = [name for name, _ in source.columns if name.lower() in left]
        join.set("method", None)
    pairs = []
    for name in names:
        right = source.find(name)
        if right is None:
            raise BindError(f"USING: {source.name!r} has no column {name!r}", context.sql)
        pairs.append(JoinKey(scope.resolve(exp.column(name)), column(right)))
        scope.hidden.add(right)
    return tuple(pairs)
