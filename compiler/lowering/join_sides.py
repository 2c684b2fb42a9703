"""A join's two sides with its keys evaluated, and the pairs or matches between them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.compiler.lowering.convert import comparable
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.written import RANKED
from sqlax.compiler.plan.nodes import Join, JoinKey, Node, Score
from sqlax.compiler.plan.schema import Kind, kind_of
from sqlax.runtime.operators.join import Pairs, pair_rows
from sqlax.runtime.operators.join_keys import Key, shared_ids
from sqlax.runtime.operators.join_lookup import Match, look_up, needed_slots
from sqlax.runtime.relation import Relation

if TYPE_CHECKING:
    from sqlax.compiler.lowering.relational import Relational

_FEWEST_TO_LOOK_UP = 1 << 12
"""Rows of a side from which on a lookup is tried first: below it nothing is slow."""


@dataclass(frozen=True)
class Sides:
    """A join with its inputs and keys evaluated."""

    rows: Relational
    node: Join
    left: Relation
    right: Relation
    keys: tuple[Key, ...]
    is_safe: tuple[bool, ...]

    @classmethod
    def of(cls, rows: Relational, node: Join) -> Sides:
        """The sides of `node`, whose inputs `rows` lowers.

        Raises:
            NotLowerableError: the graph cannot compute a key.
        """
        left, right = rows.expressions(node.left), rows.expressions(node.right)
        keys = [made for key in node.keys for made in _keys(left, right, key)]
        safe = tuple(key.null_safe for key in keys)
        return cls(rows, node, left.relation, right.relation, tuple(keys), safe)

    @property
    def widest(self) -> int:
        """Slots of the larger side."""
        return max(self.left.capacity, self.right.capacity)

    def exchanged(self) -> Sides:
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
