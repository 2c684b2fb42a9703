"""The tokens of prompts, gathered part by part from where texts are held."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import Part, PromptOperator
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.prompt.texts import TextTokens


class Asked(NamedTuple):
    """Which flat token stands where in which prompt.

    Attributes:
        slot: the answer slot of each row: an item or a calibration text.
        row: the row of each flat token.
        offset: each flat token's place in its row's prompt.
    """

    slot: Int[Array, " rows"]
    row: Int[Array, " tokens"]
    offset: Int[Array, " tokens"]


def prompt_tokens(
    operator: PromptOperator,
    inputs: PromptInputs,
    texts: TextTokens,
    state: PromptState,
    asked: Asked,
) -> Int[Array, " tokens"]:
    """The token at each asked place; arbitrary beyond a prompt's end."""
    begin = jnp.zeros(asked.slot.shape, jnp.int32)
    position = jnp.zeros(asked.offset.shape, jnp.int32)
    for part in operator.parts:
        start, length = _part_range(operator, inputs, texts, state, asked.slot, part)
        within = asked.offset - begin[asked.row]
        position = jnp.where(within >= 0, start[asked.row] + within, position)
        begin = begin + length
    return texts.at(position)


def _part_range(
    operator: PromptOperator,
    inputs: PromptInputs,
    texts: TextTokens,
    state: PromptState,
    slot: Int[Array, " rows"],
    part: Part,
) -> tuple[Int[Array, " rows"], Int[Array, " rows"]]:
    """Start and length in the pool of one part of each row's prompt."""
    if part.constant is not None:
        start = jnp.broadcast_to(inputs.constant_start[part.constant], slot.shape)
        return start, jnp.broadcast_to(inputs.constant_length[part.constant], slot.shape)
    item = jnp.minimum(slot, operator.items - 1)
    code = state.item_code[item, part.value]
    start, length = texts.start(part.lead, code), texts.length(part.lead, code)
    if not operator.neutral:
        return start, length
    neutral = jnp.clip(slot - operator.items, 0, operator.neutral - 1)
    calibrating = slot >= operator.items
    return (
        jnp.where(calibrating, inputs.neutral_start[neutral, part.value], start),
        jnp.where(calibrating, inputs.neutral_length[neutral, part.value], length),
    )
