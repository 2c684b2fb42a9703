"""Joins: which operator runs each kind, with its keys and residual lowered."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int
from sqlglot import exp

from sqlax.compiler.lowering.convert import comparable, convert
from sqlax.compiler.lowering.environment import NotLowerableError
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.written import RANKED
from sqlax.compiler.plan.nodes import Join, JoinKey, JoinKind, Node, Score
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.runtime.operators.join import Pairs, pair_rows, with_lonely_right
from sqlax.runtime.operators.join_keys import Key, shared_ids
from sqlax.runtime.operators.join_lookup import (
    Match,
    look_up,
    needed_slots,
    with_match,
    with_only_row,
)
from sqlax.runtime.operators.join_mark import mark, mark_of_pairs, null_aware_mark
from sqlax.runtime.relation import Column, Relation

if TYPE_CHECKING:
    from sqlax.compiler.lowering.relational import Relational

_FEWEST_TO_LOOK_UP = 1 << 12
"""Rows of a side from which on a lookup is tried first: below it nothing is slow."""


def join_rows(rows: Relational, node: Join) -> Relation:
    """The rows of a join.

    Raises:
        NotLowerableError: only DuckDB has this kind, or a key or residual cannot be computed.
    """
    if node.kind is JoinKind.OTHER:
        raise NotLowerableError(f"{node.other} JOIN")
    return _KINDS[node.kind](_Sides.of(rows, node))


@dataclass(frozen=True)
class _Sides:
    """A join with its inputs and keys evaluated."""

    rows: Relational
    node: Join
    left: Relation
    right: Relation
    keys: tuple[Key, ...]
    is_safe: tuple[bool, ...]

    @classmethod
    def of(cls, rows: Relational, node: Join) -> _Sides:
        left, right = rows.expressions(node.left), rows.expressions(node.right)
        keys = [made for key in node.keys for made in _keys(left, right, key)]
        safe = tuple(key.null_safe for key in keys)
        return cls(rows, node, left.relation, right.relation, tuple(keys), safe)

    @property
    def widest(self) -> int:
        """Slots of the larger side."""
        return max(self.left.capacity, self.right.capacity)

    def exchanged(self) -> _Sides:
        """The same with left and right exchanged."""
        keys = tuple(key.exchanged() for key in self.keys)
        return dataclasses.replace(self, left=self.right, right=self.left, keys=keys)

    def may_look_up(self) -> bool:
        """Whether to suppose that no left row has two matches; a first run that fails tells.

        A run that asks a model is not made twice for it.
        """
        untried = self.rows.capacities.get(self.node, 0) == 0
        large = self.left.capacity >= max(_FEWEST_TO_LOOK_UP, self.right.capacity)
        return self.right.capacity == 1 or (untried and large and not _asks_model(self.node))

    def match(self) -> Match:
        """Each left row's only match; how many slots it takes otherwise is told."""
        ids = shared_ids(self.left, self.right, self.keys)
        found = look_up(ids)
        self.rows.needed[self.node] = needed_slots(ids, found, self.left.mask)
        return found

    def pairs(self, guess: int, *, keys: tuple[Key, ...] | None = None, outer: bool) -> Pairs:
        """All pairs with equal keys, in as many slots as there are, or `guess` of them."""
        ids = shared_ids(self.left, self.right, self.keys if keys is None else keys)
        slots = max(self.rows.capacities.get(self.node, 0), guess)
        pairs = pair_rows(ids, self.left.mask, slots, outer=outer)
        self.need(pairs.needed, slots)
        return pairs

    def need(self, needed: Int[Array, ""], slots: int) -> None:
        """Tell how many slots the join needs, if more than it has."""
        self.rows.needed[self.node] = jnp.where(needed > slots, needed, 0)

    def residual(self, found: Relation) -> Bool[Array, " slots"]:
        """Where the residual is TRUE of rows that hold the columns of both sides."""
        if self.node.residual is None:
            return found.mask
        return self.over(found).predicate(self.node.residual)

    def over(self, found: Relation) -> Expressions:
        """What lowers expressions over the columns of both sides."""
        schema = self.node.left.schema + self.node.right.schema
        return Expressions(found, schema, self.rows.catalog, self.rows.environment)


def _keys(left: Expressions, right: Expressions, key: JoinKey) -> list[Key]:
    a, b = left.lower(key.left), right.lower(key.right)
    if RANKED in (a.type, b.type):
        a, b = left.ranked(a), right.ranked(b)
    if kind_of(a.type) is kind_of(b.type) is Kind.INTEGER:
        # All integers are held alike: no conversion, which would lose their bounds.
        return [Key(a.column, b.column, key.null_safe)]
    return [Key(one, two, key.null_safe) for one, two in comparable(a, b)]


def _asks_model(node: Node) -> bool:
    return any(isinstance(below, Score) for below in node.walk())


def _inner(sides: _Sides) -> Relation:
    if sides.left.capacity < sides.right.capacity:
        turned = sides.exchanged()
        sides = turned if turned.may_look_up() else sides
    if sides.may_look_up():
        match = sides.match()
        found = with_match(sides.left, sides.right, match).where(match.found)
    else:
        found = sides.pairs(sides.widest, outer=False).rows(sides.left, sides.right)
    return found.where(sides.residual(found))


def _left(sides: _Sides) -> Relation:
    if sides.may_look_up():
        match = sides.match()
        found = with_match(sides.left, sides.right, match)
        kept = match.found & sides.residual(found.where(match.found))
        return with_match(sides.left, sides.right, dataclasses.replace(match, found=kept))
    return _outer_pairs(sides, sides.widest).rows(sides.left, sides.right)


def _outer_pairs(sides: _Sides, guess: int) -> Pairs:
    pairs = sides.pairs(guess, outer=True)
    if sides.node.residual is None:
        return pairs
    found = pairs.rows(sides.left, sides.right)
    kept = sides.residual(found.where(pairs.matched))
    return pairs.having(kept, sides.left.capacity)


def _full(sides: _Sides) -> Relation:
    guess = sides.left.capacity + sides.right.capacity
    pairs = _outer_pairs(sides, guess)
    found, needed = with_lonely_right(pairs, sides.left, sides.right)
    sides.need(needed, found.capacity)
    return found


def _single(sides: _Sides) -> Relation:
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


def _match_of_pairs(sides: _Sides) -> Match:
    """The last pair of each left row for which the residual holds."""
    pairs = sides.pairs(sides.widest, outer=False)
    kept = sides.residual(pairs.rows(sides.left, sides.right)) & pairs.matched
    row = jnp.where(kept, pairs.left, sides.left.capacity)
    empty = jnp.zeros(sides.left.capacity, jnp.int32)
    number = empty.at[row].add(1, mode="drop")
    right = empty.at[row].max(pairs.right, mode="drop")
    return Match(right, number > 0, number > 1)


def _semi(sides: _Sides) -> Relation:
    return sides.left.where(_marked(sides).data)


def _anti(sides: _Sides) -> Relation:
    return sides.left.where(~_marked(sides).data)


def _mark(sides: _Sides) -> Relation:
    made = _null_aware(sides) if sides.node.null_aware else _marked(sides)
    name = sides.node.schema.names[-1]
    return sides.left.with_columns(**{name: made})


def _marked(sides: _Sides) -> Column:
    """Whether a left row has a match; never NULL."""
    if sides.node.residual is None:
        return mark(shared_ids(sides.left, sides.right, sides.keys))
    pairs = sides.pairs(sides.widest, outer=False)
    kept = sides.residual(pairs.rows(sides.left, sides.right))
    found = pairs.any_of_left(kept, sides.left.capacity)
    return Column(found, jnp.ones_like(found))


def _null_aware(sides: _Sides) -> Column:
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


def _condition(sides: _Sides, found: Relation) -> Column:
    """What must hold of a pair beside the null-safe keys: TRUE, FALSE or NULL."""
    parts = [key.condition() for key in sides.node.keys if not key.null_safe]
    if sides.node.residual is not None:
        parts.append(sides.node.residual.copy())
    return convert(sides.over(found).lower(exp.and_(*parts)), "BOOLEAN").column


_KINDS: dict[JoinKind, Callable[[_Sides], Relation]] = {
    JoinKind.INNER: _inner,
    JoinKind.LEFT: _left,
    JoinKind.FULL: _full,
    JoinKind.SEMI: _semi,
    JoinKind.ANTI: _anti,
    JoinKind.MARK: _mark,
    JoinKind.SINGLE: _single,
}
