"""From rows to work: which distinct prompts are wanted, how long they are, in which order."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TypeVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int

from sqlax.runtime.operators.group import sorted_groups
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import HEAD_TOKENS, Part, PromptOperator
from sqlax.runtime.prompt.state import PromptState, Status
from sqlax.runtime.prompt.texts import TextTokens
from sqlax.runtime.relation import Relation

State = TypeVar("State", bound=PromptState)


def prepare(
    operator: PromptOperator,
    inputs: PromptInputs,
    texts: TextTokens,
    state: State,
    relation: Relation,
    needed: Bool[Array, " rows"],
) -> State:
    """The state with a list of the wanted slots that are not answered yet.

    May be called again when more rows are wanted or another window of the pool is loaded: items
    keep their numbers, answers are kept. Cost: O(rows) for prompts of one value, one sort of the
    rows for more, and one sort of the slots.
    """
    known, row_item, item_code = number_items(operator, inputs, relation)
    wanted_rows = needed & known
    wanted = jnp.zeros(operator.items, bool).at[row_item].max(wanted_rows)
    inside = jnp.all(texts.loaded(item_code), axis=1)
    state = dataclasses.replace(
        state,
        relation=relation,
        needed=state.needed | wanted_rows,
        row_item=row_item,
        row_known=known,
        item_code=item_code,
        length=jnp.concatenate(
            [
                length_of(operator.parts, inputs, texts, item_code),
                _neutral_length(operator, inputs),
            ]
        ),
    )
    headed = _headed(operator, inputs, texts, item_code)
    return _enqueue(operator, inputs, state, wanted, inside, headed)


def number_items(
    operator: PromptOperator, inputs: PromptInputs, relation: Relation
) -> tuple[Bool[Array, " rows"], Int[Array, " rows"], Int[Array, "items values"]]:
    """Rows without a NULL part, each row's item, and each item's dictionary codes."""
    columns = [relation.columns[name] for name in operator.values]
    valued = jnp.broadcast_to(inputs.known, relation.mask.shape)
    for column in columns:
        valued &= column.valid
    known = relation.mask & valued
    if not columns:
        return known, jnp.zeros(relation.capacity, jnp.int32), jnp.zeros((1, 0), jnp.int32)
    if len(columns) == 1:
        codes = jnp.where(known, columns[0].data, 0).astype(jnp.int32)
        return known, codes, jnp.arange(operator.items, dtype=jnp.int32)[:, None]
    # Rows that do not exist take part, so that numbers stay when more rows come to exist.
    groups = sorted_groups(valued, tuple(columns), operator.items)
    row_item = jnp.minimum(groups.of_row, operator.items - 1)
    item_code = jnp.stack([column.data[groups.first] for column in columns], axis=1)
    return known, row_item, item_code.astype(jnp.int32)


def length_of(
    parts: Sequence[Part],
    inputs: PromptInputs,
    texts: TextTokens,
    item_code: Int[Array, "items values"],
) -> Int[Array, " items"]:
    """Tokens of some parts of each item's prompt, int32."""
    length = jnp.zeros(item_code.shape[0], jnp.int32)
    for part in parts:
        if part.constant is None:
            length += texts.length(part.lead, item_code[:, part.value])
        else:
            length += inputs.constant_length[part.constant]
    return length


def _headed(
    operator: PromptOperator,
    inputs: PromptInputs,
    texts: TextTokens,
    item_code: Int[Array, "items values"],
) -> Bool[Array, " slots"]:
    """Slots whose prompts have a head that others may share."""
    tokens = length_of(operator.head, inputs, texts, item_code)
    return jnp.pad(tokens >= HEAD_TOKENS, (0, operator.neutral))


def _neutral_length(operator: PromptOperator, inputs: PromptInputs) -> Int[Array, " neutral"]:
    length = jnp.zeros(operator.neutral, jnp.int32)
    for part in operator.parts:
        if part.constant is None:
            length += inputs.neutral_length[:, part.value]
        else:
            length += inputs.constant_length[part.constant]
    return length


def _enqueue(
    operator: PromptOperator,
    inputs: PromptInputs,
    state: State,
    wanted: Bool[Array, " items"],
    inside: Bool[Array, " items"],
    headed: Bool[Array, " slots"],
) -> State:
    is_open = state.status == Status.OPEN
    calibrating = jnp.full(operator.neutral, jnp.any(wanted))
    asked = jnp.concatenate([wanted & inside, calibrating]) & is_open
    longest = inputs.prefix_length + state.length + inputs.behind
    full = longest > operator.model.context_length
    status = jnp.where(asked & full, jnp.int32(Status.TOO_LONG), state.status)
    listed = asked & ~full
    bucket = _bucket(operator, state.length + inputs.nodes)
    deferred = wanted & ~inside & is_open[: operator.items]
    return dataclasses.replace(
        state,
        status=status,
        bucket=bucket,
        order=_order(operator, listed, jnp.where(headed, 0, bucket)),
        todo=jnp.sum(listed, dtype=jnp.int32),
        cursor=jnp.zeros((), jnp.int32),
        deferred=jnp.sum(deferred, dtype=jnp.int32),
        wanted=_wanted_codes(state.item_code, deferred, state.wanted.shape[0]),
    )


def _wanted_codes(
    item_code: Int[Array, "items values"], deferred: Bool[Array, " items"], ways: int
) -> Int[Array, " windows"]:
    """The dictionary codes of one deferred item, repeated to fill the windows."""
    codes = item_code[jnp.argmax(deferred)]
    places = jnp.arange(ways, dtype=jnp.int32) % max(1, codes.shape[0])
    return codes[places] if codes.shape[0] else jnp.zeros(ways, jnp.int32)


def _bucket(operator: PromptOperator, total: Int[Array, " slots"]) -> Int[Array, " slots"]:
    """The tile shape of each slot: it depends on the slot's own length alone."""
    capacities = jnp.asarray([tile.row_capacity for tile in operator.tiles], jnp.int32)
    return jnp.sum(total[:, None] > capacities[None, :], axis=1, dtype=jnp.int32)


def _order(
    operator: PromptOperator, listed: Bool[Array, " slots"], rank: Int[Array, " slots"]
) -> Int[Array, " padded"]:
    """Listed slots by rank, then by number, which is that of their values: one packed sort key."""
    slot = jnp.arange(operator.slots, dtype=jnp.int64)
    key = jnp.where(listed, (rank.astype(jnp.int64) << 32) | slot, np.iinfo(np.int64).max)
    ordered = (jnp.sort(key) & 0xFFFFFFFF).astype(jnp.int32)
    ordered = jnp.clip(ordered, 0, operator.slots - 1)
    return jnp.concatenate([ordered, jnp.zeros(operator.most_rows, jnp.int32)])
