"""What changes while an operator works; it stays on the device and is donated."""

from __future__ import annotations

import dataclasses
from enum import IntEnum
from typing import Any, Self

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.models.language_model import Prefix
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.relation import Relation


class Status(IntEnum):
    """What became of an item; every status after DONE is an error and the answer is NULL."""

    OPEN = 0
    DONE = 1
    TOO_LONG = 2
    NO_ANSWER = 3
    NO_ROOM = 4


KEPT = ("prefix", "prefilled", "status", "tokens", "reused")
"""What a run leaves to the next one over the same items, beside the answers."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PromptState:
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
        status: a `Status` for each slot.
        tokens: tokens put through the model, prefix included.
        reused: tokens of the prefix, and of prompts' heads, that rows did not compute again.
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
    status: Int[Array, " slots"]
    tokens: Int[Array, ""]
    reused: Int[Array, ""]

    @property
    def items(self) -> int:
        """Capacity of the list of distinct prompts."""
        return self.item_code.shape[0]

    def after(self, earlier: Self) -> Self:
        """This empty state with the answers of an earlier run over the same items."""
        kept = (*KEPT, *self.answer_fields)
        return dataclasses.replace(self, **{name: getattr(earlier, name) for name in kept})

    @property
    def answer_fields(self) -> tuple[str, ...]:
        """The fields that hold answers by item."""
        return ()


def initial_fields(
    operator: PromptOperator, relation: Relation, prefix: Prefix, ways: int
) -> dict[str, Any]:
    """The fields of a state in which nothing is known yet, over a zeroed relation and prefix.

    Args:
        operator: the operator.
        relation: zeros in the shape of its input rows.
        prefix: zeros in the shape of its prefix's key-value state.
        ways: windows in the token pool at once.
    """
    rows, slots = relation.capacity, operator.slots
    zero = jnp.zeros((), jnp.int32)
    return {
        "relation": relation,
        "needed": jnp.zeros(rows, bool),
        "row_item": jnp.zeros(rows, jnp.int32),
        "row_known": jnp.zeros(rows, bool),
        "item_code": jnp.zeros((operator.items, len(operator.values)), jnp.int32),
        "length": jnp.zeros(slots, jnp.int32),
        "bucket": jnp.zeros(slots, jnp.int32),
        "order": jnp.zeros(slots + operator.most_rows, jnp.int32),
        "todo": zero,
        "cursor": zero,
        "deferred": zero,
        "wanted": jnp.zeros(ways, jnp.int32),
        "prefix": prefix,
        "prefilled": jnp.zeros((), bool),
        "status": jnp.zeros(slots, jnp.int32),
        "tokens": jnp.zeros((), jnp.int64),
        "reused": jnp.zeros((), jnp.int64),
    }
