"""Filling one tile with prompts and label nodes, and writing its answers back."""

from __future__ import annotations

import dataclasses

import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from sqlax.models.language_model import LabelTrie, PackedRows
from sqlax.runtime.prompt.batch import Batch, lay_end_to_end
from sqlax.runtime.prompt.operator import Tile
from sqlax.runtime.prompt.state import Status
from sqlax.runtime.prompt.texts import TextTokens
from sqlax.runtime.prompt.tokens import Asked, prompt_tokens
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.operator import ScoreOperator
from sqlax.runtime.score.state import ScoreState


def pack(
    operator: ScoreOperator,
    inputs: ScoreInputs,
    texts: TextTokens,
    state: ScoreState,
    batch: Batch,
    tile: Tile,
) -> PackedRows:
    """The batch's prompts, the label trie's nodes behind each."""
    prompt = jnp.where(batch.used, state.length[batch.slot], 0)
    run = lay_end_to_end(jnp.where(batch.used, prompt + inputs.nodes, 0), tile.tokens)
    asked = Asked(batch.slot, run.inside, run.offset)
    tokens = prompt_tokens(operator, inputs, texts, state, asked)
    if inputs.nodes:
        node = run.offset - prompt[run.inside]
        label = jnp.take(inputs.trie.node_token, node, mode="clip")
        tokens = jnp.where(node >= 0, label, tokens)
    tokens = jnp.where(run.row < tile.rows, tokens, 0)
    return PackedRows(tokens, run.row, run.start, prompt, tile.row_capacity)


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
