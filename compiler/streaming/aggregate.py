"""Aggregate calls as partial results and what merges them, with the types the plan has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from sqlax.compiler.plan.catalog import Catalog
from sqlax.compiler.plan.nodes import Aggregate, Node, Project, Scan, column
from sqlax.compiler.plan.schema import Field, Kind, Schema

_MERGED_BY: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.Count: exp.Sum,
    exp.CountIf: exp.Sum,
    exp.Sum: exp.Sum,
    exp.Min: exp.Min,
    exp.Max: exp.Max,
    exp.LogicalAnd: exp.LogicalAnd,
    exp.LogicalOr: exp.LogicalOr,
    exp.AnyValue: exp.AnyValue,
}
"""Calls whose partial results are themselves, and what merges them."""

_ARGUMENTS = {"this", "big_int"}


@dataclass(frozen=True)
class _Piece:
    """One aggregate call: the partial calls it needs; AVG has a sum and a count."""

    parts: tuple[exp.Expr, ...]


def partial_aggregate(node: Aggregate, catalog: Catalog) -> Aggregate | None:
    """The aggregate over one morsel; None where a call cannot be divided.

    Its columns are the keys, then `#partial0`, `#partial1`, ...: each distinct partial call once.
    """
    pieces = _pieces(node)
    if pieces is None:
        return None
    calls = _partial_calls(pieces)
    types = catalog.types_of(calls, node.input.schema)
    made = tuple(Field(f"#partial{i}", kind) for i, kind in enumerate(types))
    keys = node.schema.fields[: len(node.keys)]
    return replace(node, schema=Schema(keys + made), calls=calls)


def merged_aggregate(node: Aggregate, rows: Scan, catalog: Catalog) -> Node:
    """The aggregate from the stored rows of `partial_aggregate` over all morsels."""
    pieces = _pieces(node)
    assert pieces is not None, "only what was divided is merged"
    partials = _partial_calls(pieces)
    calls = tuple(_merge(call, column(f"#partial{i}")) for i, call in enumerate(partials))
    types = catalog.types_of(calls, rows.schema)
    made = tuple(Field(f"#merged{i}", kind) for i, kind in enumerate(types))
    keys = node.schema.names[: len(node.keys)]
    schema = Schema(rows.schema.select(keys).fields + made)
    merged = Aggregate(schema, rows, tuple(map(column, keys)), calls)
    values = _results(node, pieces, {call: made[i] for i, call in enumerate(partials)})
    kept = rows.schema.select(keys).fields
    outputs = Schema(kept + node.schema.fields[len(keys) :])
    return Project(outputs, merged, (*map(column, keys), *values))


def _pieces(node: Aggregate) -> list[_Piece] | None:
    fields = node.schema.fields[len(node.keys) :]
    pieces = [_piece(call, made) for call, made in zip(node.calls, fields, strict=True)]
    known = [piece for piece in pieces if piece is not None]
    return known if len(known) == len(pieces) else None


def _piece(call: exp.Expr, made: Field) -> _Piece | None:
    function = _function(call)
    more = {name for name, value in function.args.items() if value} - _ARGUMENTS
    if more or isinstance(function.this, exp.Distinct | exp.Order):
        return None
    if type(function) in _MERGED_BY:
        return _Piece((call,))
    if isinstance(function, exp.Avg) and made.kind is Kind.FLOAT:
        return _Piece((_instead(call, exp.Sum), _instead(call, exp.Count)))
    return None


def _function(call: exp.Expr) -> exp.Expr:
    """The aggregate function of a call, without its FILTER."""
    inner = call.this if isinstance(call, exp.Filter) else call
    ignores = isinstance(inner, exp.IgnoreNulls) and isinstance(inner.this, exp.AnyValue)
    return inner.this if ignores else inner


def _instead(call: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    """The call with another function of the same operand."""
    made = kind(this=_function(call).this.copy())
    if not isinstance(call, exp.Filter):
        return made
    return exp.Filter(this=made, expression=call.expression.copy())


def _partial_calls(pieces: Iterable[_Piece]) -> tuple[exp.Expr, ...]:
    return tuple(dict.fromkeys(part for piece in pieces for part in piece.parts))


def _merge(call: exp.Expr, partial: exp.Expr) -> exp.Expr:
    return _MERGED_BY[type(_function(call))](this=partial)


def _results(
    node: Aggregate, pieces: Iterable[_Piece], merged: Mapping[exp.Expr, Field]
) -> Iterator[exp.Expr]:
    """The value of each call from the merged columns, in the call's own type."""
    for piece, made in zip(pieces, node.schema.fields[len(node.keys) :], strict=True):
        first, *more = (merged[part] for part in piece.parts)
        value: exp.Expr = column(first.name)
        if first.type != made.type:
            value = exp.cast(value, made.type, dialect="duckdb")
        yield _quotient(value, column(more[0].name)) if more else value


def _quotient(value: exp.Expr, by: exp.Expr) -> exp.Expr:
    return exp.Div(this=value, expression=by, typed=False, safe=False)
