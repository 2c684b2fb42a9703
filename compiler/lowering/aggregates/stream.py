"""GROUP BY over many rows piece by piece, together with the filters and projections below it.

The pieces go through one loop: each is filtered, computed with and added to the groups' states
while it is in the cache, so that no column is written to memory on the way. It needs aggregates
whose states can be combined, and no keys or keys of few bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int
from sqlglot import exp

from sqlax.compiler.lowering.aggregates.call import AggregateCall, take_apart
from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.plan.nodes import Aggregate, Filter, Node, Project
from sqlax.compiler.plan.schema import Kind, decimal_scale, kind_of
from sqlax.runtime.narrow import NarrowRelation
from sqlax.runtime.operators import partial
from sqlax.runtime.operators.group import direct_groups, direct_keys
from sqlax.runtime.operators.partial import Partial, State
from sqlax.runtime.relation import Column, Relation

if TYPE_CHECKING:
    from sqlax.compiler.lowering.relational import Relational

_PIECE = 1 << 16
_FEWEST_ROWS = 1 << 18
_MOST_BITS = 12


def streamed(rows: Relational, node: Aggregate) -> Relation | None:
    """The groups of an Aggregate, made in pieces; None where that is not possible or no gain."""
    bottom = _bottom(node.input)
    base = rows.unread(bottom)
    fits = base.capacity >= _FEWEST_ROWS and base.capacity % _PIECE == 0
    # Elsewhere than on a CPU a loop over pieces costs more than the passes over memory.
    if not fits or jax.default_backend() != "cpu" or not all(map(_is_foldable, node.calls)):
        return None
    return _Stream(rows, node, bottom, base).result()


def _bottom(node: Node) -> Node:
    """What lies below the filters and projections."""
    while isinstance(node, Filter | Project):
        node = node.input
    return node


def _is_foldable(call: exp.Expr) -> bool:
    function = call.this if isinstance(call, exp.Filter) else call
    more = {name for name, value in function.args.items() if value} - {"this", "big_int"}
    plain = not isinstance(function.this, exp.Distinct | exp.Order)
    return type(function) in _FOLDS and not more and plain


@dataclass(frozen=True)
class _Piece:
    """What a piece of the rows gives: the count of rows and one partial a call, and the keys."""

    partials: tuple[Partial, ...]
    keys: tuple[Column, ...]
    reported: Bool[Array, ""]

    def arrays(self) -> tuple[tuple[State, ...], tuple[Array | None, ...], Array]:
        """All that differs between pieces, or between programs."""
        lows = tuple(key.low for key in self.keys)
        return tuple(p.state for p in self.partials), lows, self.reported


@dataclass(frozen=True)
class _Stream:
    rows: Relational
    node: Aggregate
    bottom: Node
    base: Relation | NarrowRelation

    def result(self) -> Relation | None:
        """The groups, or None if the keys have too many bits."""
        first = jax.eval_shape(lambda: self._arrays(jnp.int32(0)))
        if first is None:
            return None
        piece = self._piece(self.base.part(jnp.int32(0), _PIECE))
        assert piece is not None, "the shapes are known by now"
        begun = tuple(
            tuple(jnp.full(a.shape, n, a.dtype) for a, n in zip(p.state, p.neutral, strict=True))
            for p in piece.partials
        )
        carry = (begun, jnp.zeros((), bool))
        states, reported = jax.lax.fori_loop(0, self._pieces(), self._step, carry)
        self.rows.environment.report(reported[None], jnp.ones(1, bool))
        return self._relation(piece, states)

    def _pieces(self) -> Int[Array, ""]:
        """The pieces up to the last row that exists: a table fills only a part of its slots."""
        return (self.base.end() + _PIECE - 1) // _PIECE

    def _step(self, number: Array, carry: Any) -> Any:
        states, reported = carry
        piece = self._piece(self.base.part(number * _PIECE, _PIECE))
        assert piece is not None, "the shapes are known by now"
        combined = tuple(p.combine(s, p.state) for s, p in zip(states, piece.partials, strict=True))
        return combined, reported | piece.reported

    def _arrays(self, at: Array) -> Any:
        piece = self._piece(self.base.part(at, _PIECE))
        return None if piece is None else piece.arrays()

    def _piece(self, piece: Relation) -> _Piece | None:
        environment = dataclasses.replace(self.rows.environment, overflow=[])
        below = dataclasses.replace(
            self.rows, environment=environment, needed={}, memo={self.bottom: piece}
        )
        lower = below.expressions(self.node.input)
        keys = tuple(lower.orderable(key) for key in self.node.keys)
        groups = direct_groups(lower.relation.mask, keys, _MOST_BITS)
        if groups is None:
            return None
        partials = [partial.counted(groups, lower.relation.mask)]
        outputs = self.node.schema.fields[len(keys) :]
        for call, output in zip(self.node.calls, outputs, strict=True):
            taken = take_apart(lower, groups, call, output)
            partials.append(_FOLDS[type(taken.function)](taken))
        reported = jnp.zeros((), bool)
        for condition in environment.overflow:
            reported = reported | condition
        return _Piece(tuple(partials), keys, reported)

    def _relation(self, piece: _Piece, states: tuple[State, ...]) -> Relation:
        made = [p.finish(state) for p, state in zip(piece.partials, states, strict=True)]
        (number, _), *values = made
        exists = number.data > 0 if piece.keys else jnp.ones(1, bool)
        for _, outside in values:
            self.rows.environment.report(outside, exists)
        columns = [key.only(exists) for key in direct_keys(piece.keys)] if piece.keys else []
        columns += [column for column, _ in values]
        return Relation(dict(zip(self.node.schema.names, columns, strict=True)), exists)


def _count(call: AggregateCall) -> Partial:
    if call.operand is None:
        return partial.counted(call.groups, call.used)
    return partial.counted(call.groups, call.used & call.lower.lower(call.operand).column.valid)


def _sum(call: AggregateCall) -> Partial:
    return partial.summed(call.groups, call.summand())


def _mean(call: AggregateCall) -> Partial:
    value = call.value()
    if call.output.kind is not Kind.FLOAT or kind_of(value.type) is Kind.BOOLEAN:
        raise call.refuse()
    return partial.averaged(call.groups, value.column, 10.0 ** decimal_scale(value.type))


def _extreme(*, largest: bool) -> Callable[[AggregateCall], Partial]:
    def fold(call: AggregateCall) -> Partial:
        return partial.extreme(call.groups, call.value().column, largest=largest)

    return fold


def _all_or_any(*, largest: bool) -> Callable[[AggregateCall], Partial]:
    def fold(call: AggregateCall) -> Partial:
        value = convert(call.value(), "BOOLEAN").column
        return partial.extreme(call.groups, value, largest=largest)

    return fold


_FOLDS: dict[type[exp.Expr], Callable[[AggregateCall], Partial]] = {
    exp.Count: _count,
    exp.Sum: _sum,
    exp.Avg: _mean,
    exp.Min: _extreme(largest=False),
    exp.Max: _extreme(largest=True),
    exp.LogicalAnd: _all_or_any(largest=False),
    exp.LogicalOr: _all_or_any(largest=True),
}
