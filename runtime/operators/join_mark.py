"""Whether a left row has a match, with SQL's third value: counts by id, no pairs. O(n + m)."""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Bool

from sqlax.runtime.operators.join import Pairs
from sqlax.runtime.operators.join_keys import Ids
from sqlax.runtime.relation import Column


def mark(ids: Ids) -> Column:
    """TRUE where a left row has a match, else FALSE."""
    return Column(ids.counts() > 0, jnp.ones(ids.left.shape, bool))


def null_aware_mark(
    ids: Ids, safe: Ids, left_valid: Bool[Array, " left"], right_valid: Bool[Array, " right"]
) -> Column:
    """The mark of `x IN (SELECT y ...)`: NULL where a NULL might have been the match.

    Args:
        ids: equal where all keys are.
        safe: equal where all keys but x and y are; these take NULL as a value.
        left_valid: where x is not NULL.
        right_valid: where y is not NULL.
    """
    matched = ids.counts() > 0
    unknown = safe.right_sum((~right_valid & (safe.right < safe.size)).astype(jnp.int32)) > 0
    unknown = unknown | (~left_valid & (safe.counts() > 0))
    return Column(matched, matched | ~unknown)


def mark_of_pairs(pairs: Pairs, condition: Column, capacity: int) -> Column:
    """The mark of a condition that was evaluated for each pair; `capacity` is the left side's."""
    true = pairs.any_of_left(condition.valid & condition.data, capacity)
    unknown = pairs.any_of_left(~condition.valid, capacity)
    return Column(true, true | ~unknown)
