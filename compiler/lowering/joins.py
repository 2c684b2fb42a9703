"""Joins: which operator runs each kind, with its keys and residual lowered."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING

import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.convert import convert
from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.compiler.lowering.join_sides import Sides
from sqlax.compiler.plan.nodes import Join, JoinKind
from sqlax.runtime.operators.join import Pairs, with_lonely_right
from sqlax.runtime.operators.join_keys import shared_ids
from sqlax.runtime.operators.join_lookup import Match, look_up, with_match, with_only_row
from sqlax.runtime.operators.join_mark import mark, mark_of_pairs, null_aware_mark
from sqlax.runtime.relation import Column, Relation

if TYPE_CHECKING:
    from sqlax.compiler.lowering.relational import Relational


def join_rows(rows: Relational, node: Join) -> Relation:
    """The rows of a join.

    Raises:
        NotLowerableError: only DuckDB has this kind, or a key or residual cannot be computed.
    """
    if node.kind is JoinKind.OTHER:
        raise NotLowerableError(f"{node.other} JOIN")
    return _KINDS[node.kind](Sides.of(rows, node))


def _inner(sides: Sides) -> Relation:
    if sides.left.capacity < sides.right.capacity:
        turned = sides.exchanged()
        sides = turned if turned.may_look_up() else sides
    if sides.may_look_up():
        match = sides.match()
        found = with_match(sides.left, sides.right, match).where(match.found)
    else:
        found = sides.pairs(sides.widest, outer=False).rows(sides.left, sides.right)
    return found.where(sides.residual(found))


def _left(sides: Sides) -> Relation:
    if sides.may_look_up():
        match = sides.match()
        found = with_match(sides.left, sides.right, match)
        kept = match.found & sides.residual(found.where(match.found))
        return with_match(sides.left, sides.right, dataclasses.replace(match, found=kept))
    return _outer_pairs(sides, sides.widest).rows(sides.left, sides.right)


def _outer_pairs(sides: Sides, guess: int) -> Pairs:
    pairs = sides.pairs(guess, outer=True)
    if sides.node.residual is None:
        return pairs
    found = pairs.rows(sides.left, sides.right)
    kept = sides.residual(found.where(pairs.matched))
    return pairs.having(kept, sides.left.capacity)


def _full(sides: Sides) -> Relation:
    guess = sides.left.capacity + sides.right.capacity
    pairs = _outer_pairs(sides, guess)
    found, needed = with_lonely_right(pairs, sides.left, sides.right)
    sides.need(needed, found.capacity)
    return found


def _single(sides: Sides) -> Relation:
    report = sides.rows.environment.report
    if not sides.node.keys and sides.node.residual is None:
        report(sides.right.count()[None] > 1, jnp.ones(1, bool))
        return with_only_row(sides.left, sides.right)
    if sides.node.residual is None:
        match = look_up(shared_ids(sides.left, sides.right, sides.keys))
    else:
        match = _match_of_pairs(sides)
    report(match.repeated, sides.left.mask)
    return with_match(sides.left, sides.right, match)


def _match_of_pairs(sides: Sides) -> Match:
    """The last pair of each left row for which the residual holds."""
    pairs = sides.pairs(sides.widest, outer=False)
    kept = sides.residual(pairs.rows(sides.left, sides.right)) & pairs.matched
    row = jnp.where(kept, pairs.left, sides.left.capacity)
    empty = jnp.zeros(sides.left.capacity, jnp.int32)
    number = empty.at[row].add(1, mode="drop")
    right = empty.at[row].max(pairs.right, mode="drop")
    return Match(right, number > 0, number > 1)


def _semi(sides: Sides) -> Relation:
    return sides.left.where(_marked(sides).data)


def _anti(sides: Sides) -> Relation:
    return sides.left.where(~_marked(sides).data)


def _mark(sides: Sides) -> Relation:
    made = _null_aware(sides) if sides.node.null_aware else _marked(sides)
    name = sides.node.schema.names[-1]
    return sides.left.with_columns(**{name: made})


def _marked(sides: Sides) -> Column:
    """Whether a left row has a match; never NULL."""
    if sides.node.residual is None:
        return mark(shared_ids(sides.left, sides.right, sides.keys))
    pairs = sides.pairs(sides.widest, outer=False)
    kept = sides.residual(pairs.rows(sides.left, sides.right))
    found = pairs.any_of_left(kept, sides.left.capacity)
    return Column(found, jnp.ones_like(found))


def _null_aware(sides: Sides) -> Column:
    """By counts while one key alone can be NULL, else by the pairs that the other keys leave."""
    safe = tuple(key for key in sides.keys if key.null_safe)
    plain = tuple(key for key in sides.keys if not key.null_safe)
    if sides.node.residual is None and not plain:
        return _marked(sides)
    if sides.node.residual is None and _is_one(sides.node):
        ids = shared_ids(sides.left, sides.right, sides.keys)
        others = shared_ids(sides.left, sides.right, safe)
        return null_aware_mark(ids, others, plain[0].left.valid, plain[0].right.valid)
    pairs = sides.pairs(sides.widest, keys=safe, outer=False)
    condition = _condition(sides, pairs.rows(sides.left, sides.right))
    return mark_of_pairs(pairs, condition, sides.left.capacity)


def _is_one(node: Join) -> bool:
    return sum(not key.null_safe for key in node.keys) == 1


def _condition(sides: Sides, found: Relation) -> Column:
    """What must hold of a pair beside the null-safe keys: TRUE, FALSE or NULL."""
    parts = [key.condition() for key in sides.node.keys if not key.null_safe]
    if sides.node.residual is not None:
        parts.append(sides.node.residual.copy())
    return convert(sides.over(found).lower(exp.and_(*parts)), "BOOLEAN").column


_KINDS: dict[JoinKind, Callable[[Sides], Relation]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _semi,
    JoinKind.ANTI: _anti,
    JoinKind.MARK: _mark,
    JoinKind.SINGLE: _single,
}
