"""Joins with at most one match a row: a table of row numbers by id, then a gather.

Cost: the ids, a scatter of the right rows and a gather for the left ones, O(n + m): nothing is
sorted or moved but the right columns. That ids are unique on the right is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.join_keys import Ids
from sqlax.runtime.relation import Relation


@dataclass(frozen=True)
class Match:
    """The right row of each left row, where `found`; `repeated` where there are several."""

    right: Int[Array, " left"]
    found: Bool[Array, " left"]
    repeated: Bool[Array, " left"]


def look_up(ids: Ids) -> Match:
    """The last match of each left row."""
    rows = jnp.arange(ids.right.shape[0], dtype=jnp.int32)
    table = jnp.zeros(ids.size, jnp.int32).at[ids.right].max(rows + 1, mode="drop")
    hidden = (ids.right < ids.size) & (_entry(table, ids) != rows + 1)
    found = ids.of_left(table)
    again = jax.lax.cond(
        jnp.any(hidden),
        lambda: ids.right_sum(hidden.astype(jnp.int32)) > 0,
        lambda: jnp.zeros(ids.left.shape, bool),
    )
    return Match(jnp.maximum(found - 1, 0), found > 0, again)


def _entry(table: Int[Array, " ids"], ids: Ids) -> Int[Array, " right"]:
    return table[jnp.minimum(ids.right, ids.size - 1)]


def needed_slots(ids: Ids, match: Match, left: Bool[Array, " left"]) -> Int[Array, ""]:
    """Slots of the general join: more than the left side has, if a left row's match repeats."""

    def several() -> Int[Array, ""]:
        pairs = jnp.sum(jnp.maximum(ids.counts(), left.astype(jnp.int32)), dtype=jnp.int64)
        return jnp.maximum(pairs, left.shape[0] + 1)

    repeats = jnp.any(match.repeated & left)
    needed: Array = jax.lax.cond(repeats, several, lambda: jnp.zeros((), jnp.int64))
    return needed


def with_match(left: Relation, right: Relation, match: Match) -> Relation:
    """The left rows with the columns of their match, NULL where there is none."""
    taken = right.take(match.right, match.found).columns
    return left.with_columns(**{name: column.only(match.found) for name, column in taken.items()})


def with_only_row(left: Relation, right: Relation) -> Relation:
    """The left rows with the columns of the only right row, NULL where there is none."""
    row = jnp.argmax(right.mask, keepdims=True)
    one = right.take(row, right.mask[row])
    place = jnp.zeros(left.capacity, jnp.int32)
    columns = {name: column.only(one.mask).take(place) for name, column in one.columns.items()}
    return left.with_columns(**columns)
