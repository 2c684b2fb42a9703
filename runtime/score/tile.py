"""Filling one tile with rows, and writing its answers back."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, Int

from sqlax.models.language_model import LabelTrie, PackedRows
from sqlax.runtime.score.inputs import ScoreInputs, TokenPool
from sqlax.runtime.score.operator import Part, ScoreOperator, Tile
from sqlax.runtime.score.state import ScoreState, Status


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Batch:
    """The slots of one tile, in the order of its rows; those without `used` are empty."""

    slot: Int[Array, " rows"]
    used: Bool[Array, " rows"]


def next_batch(
    operator: ScoreOperator, state: ScoreState, number: int, tile: Tile, nodes: int
) -> Batch:
    """The next slots that share tile shape `number` and fit into the tile's tokens."""
    slot = jax.lax.dynamic_slice(state.order, (state.cursor,), (tile.rows,))
    waiting = state.cursor + jnp.arange(tile.rows, dtype=jnp.int32) < state.todo
    ready = waiting & (state.bucket[slot] == number)
    end = jnp.cumsum(jnp.where(ready, state.length[slot] + nodes, 0), dtype=jnp.int32)
    return Batch(slot, ready & (end <= tile.tokens))


def pack(
    operator: ScoreOperator,
    inputs: ScoreInputs,
    pool: TokenPool,
    state: ScoreState,
    batch: Batch,
    tile: Tile,
) -> PackedRows:
    """The tokens of the batch's prompts, gathered from the pool part by part."""
    nodes = inputs.trie.node_token.shape[0]
    prompt = jnp.where(batch.used, state.length[batch.slot], 0)
    total = jnp.where(batch.used, prompt + nodes, 0)
    row_end = jnp.cumsum(total, dtype=jnp.int32)
    place = jnp.arange(tile.tokens, dtype=jnp.int32)
    row = jnp.sum(place[:, None] >= row_end[None, :], axis=1, dtype=jnp.int32)
    inside = jnp.minimum(row, tile.rows - 1)
    start = row_end - total
    offset = place - start[inside]
    position = _pool_position(operator, inputs, pool, state, batch, inside, offset)
    tokens = jnp.take(pool.tokens, position, mode="clip")
    if nodes:
        node = offset - prompt[inside]
        label = jnp.take(inputs.trie.node_token, node, mode="clip")
        tokens = jnp.where(node >= 0, label, tokens)
    tokens = jnp.where(row < tile.rows, tokens, 0)
    return PackedRows(tokens, row, start, prompt, tile.row_capacity)


def _pool_position(
    operator: ScoreOperator,
    inputs: ScoreInputs,
    pool: TokenPool,
    state: ScoreState,
    batch: Batch,
    row: Int[Array, " tokens"],
    offset: Int[Array, " tokens"],
) -> Int[Array, " tokens"]:
    """Where in the pool each flat token stands: the part its offset falls into, then inside it."""
    begin = jnp.zeros(batch.slot.shape, jnp.int32)
    position = jnp.zeros(offset.shape, jnp.int32)
    for part in operator.parts:
        start, length = _part_range(operator, inputs, pool, state, batch, part)
        within = offset - begin[row]
        position = jnp.where(within >= 0, start[row] + within, position)
        begin = begin + length
    return position


def _part_range(
    operator: ScoreOperator,
    inputs: ScoreInputs,
    pool: TokenPool,
    state: ScoreState,
    batch: Batch,
    part: Part,
) -> tuple[Int[Array, " rows"], Int[Array, " rows"]]:
    """Start and length in the pool of one part of each row's prompt."""
    shape = batch.slot.shape
    if part.constant is not None:
        start = jnp.broadcast_to(inputs.constant_start[part.constant], shape)
        return start, jnp.broadcast_to(inputs.constant_length[part.constant], shape)
    item = jnp.minimum(batch.slot, operator.items - 1)
    code = state.item_code[item, part.value]
    start, length = pool.start[part.lead, code], pool.length[part.lead, code]
    if not operator.neutral:
        return start, length
    neutral = jnp.clip(batch.slot - operator.items, 0, operator.neutral - 1)
    calibrating = batch.slot >= operator.items
    return (
        jnp.where(calibrating, inputs.neutral_start[neutral, part.value], start),
        jnp.where(calibrating, inputs.neutral_length[neutral, part.value], length),
    )


def write(
    state: ScoreState,
    batch: Batch,
    rows: PackedRows,
    logp: Float[Array, "rows labels"],
    inputs: ScoreInputs,
) -> ScoreState:
    """The state with a tile's answers; a row without a finite label score has no answer."""
    slot = jnp.where(batch.used, batch.slot, state.status.shape[0])
    answered = _has_answer(logp, inputs.trie)
    status = jnp.where(answered, jnp.int32(Status.DONE), jnp.int32(Status.NO_ANSWER))
    count = jnp.sum(batch.used, dtype=jnp.int32)
    nodes = jnp.sum(inputs.trie.node_depth > 0, dtype=jnp.int64)
    tokens = jnp.sum(rows.prompt_length, dtype=jnp.int64) + nodes * count
    return dataclasses.replace(
        state,
        logp=state.logp.at[slot].set(logp, mode="drop"),
        status=state.status.at[slot].set(status, mode="drop"),
        cursor=state.cursor + count,
        tokens=state.tokens + tokens,
        reused=state.reused + inputs.prefix_length * count.astype(jnp.int64),
    )


def _has_answer(logp: Float[Array, "rows labels"], trie: LabelTrie) -> Bool[Array, " rows"]:
    broken = jnp.any(jnp.isnan(logp) & trie.label_valid, axis=1)
    return ~broken & jnp.any((logp > -jnp.inf) & trie.label_valid, axis=1)
