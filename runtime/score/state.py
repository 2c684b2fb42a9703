"""What changes while a score operator works; it stays on the device and is donated."""

from __future__ import annotations

import dataclasses
from enum import IntEnum

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.models.language_model import Prefix
from sqlax.runtime.relation import Relation
from sqlax.runtime.score.operator import ScoreOperator


class Status(IntEnum):
    """What became of an item; every status after DONE is an error and the answer is NULL."""

    OPEN = 0
    DONE = 1
    TOO_LONG = 2
    NO_ANSWER = 3


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class ScoreState:
    """One operator's progress.

    Attributes:
        relation: the operator's input rows.
        needed: rows whose answer is wanted.
        row_item: each row's item; meaningless where `row_known` is false.
        row_known: rows none of whose prompt parts is NULL.
        item_code: dictionary codes of each item's values.
        length: prompt tokens of each slot, without trie nodes.
        bucket: number of each slot's tile shape.
        order: slots to answer, shortest tile first; then anything.
        todo: number of slots in `order` that are to be answered.
        cursor: number of them that are.
        deferred: wanted items with a text outside the token pool's windows.
        wanted: dictionary codes that such an item needs.
        prefix: key-value state of the constant prefix.
        prefilled: whether `prefix` has been computed.
        logp: log-probability of each label for each slot.
        status: a `Status` for each slot.
        tokens: tokens put through the model, prefix included.
        reused: prefix tokens that rows did not have to compute again.
    """

    relation: Relation
    needed: Bool[Array, " rows"]
    row_item: Int[Array, " rows"]
    row_known: Bool[Array, " rows"]
    item_code: Int[Array, "items values"]
    length: Int[Array, " slots"]
    bucket: Int[Array, " slots"]
    order: Int[Array, " padded"]
    todo: Int[Array, ""]
    cursor: Int[Array, ""]
    deferred: Int[Array, ""]
    wanted: Int[Array, " windows"]
    prefix: Prefix
    prefilled: Bool[Array, ""]
    logp: Float[Array, "slots labels"]
    status: Int[Array, " slots"]
    tokens: Int[Array, ""]
    reused: Int[Array, ""]


def initial_state(
    operator: ScoreOperator, relation: Relation, prefix: Prefix, labels: int, ways: int
) -> ScoreState:
    """A state in which nothing is known yet, over a zeroed relation and prefix.

    Args:
        operator: the operator.
        relation: zeros in the shape of its input rows.
        prefix: zeros in the shape of its prefix's key-value state.
        labels: capacity of its labels.
        ways: windows in the token pool at once.
    """
    rows, slots = relation.capacity, operator.slots
    zero = jnp.zeros((), jnp.int32)
    return ScoreState(
        relation=relation,
        needed=jnp.zeros(rows, bool),
        row_item=jnp.zeros(rows, jnp.int32),
        row_known=jnp.zeros(rows, bool),
        item_code=jnp.zeros((operator.items, len(operator.values)), jnp.int32),
        length=jnp.zeros(slots, jnp.int32),
        bucket=jnp.zeros(slots, jnp.int32),
        order=jnp.zeros(slots + operator.most_rows, jnp.int32),
        todo=zero,
        cursor=zero,
        deferred=zero,
        wanted=jnp.zeros(ways, jnp.int32),
        prefix=prefix,
        prefilled=jnp.zeros((), bool),
        logp=jnp.zeros((slots, labels), jnp.float32),
        status=jnp.zeros(slots, jnp.int32),
        tokens=jnp.zeros((), jnp.int64),
        reused=jnp.zeros((), jnp.int64),
    )
