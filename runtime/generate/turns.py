"""The turns of the loop: runs of the model, in two halves around it, and the sharing of heads."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple, TypeAlias

import jax.numpy as jnp
from jaxtyping import Array, Float

from sqlax.models.language_model import PageArrays, PagedRows, Params
from sqlax.runtime.generate.admit import could_begin
from sqlax.runtime.generate.chunk import (
    Crew,
    chunk_crew,
    chunk_rows,
    decode_crew,
    decode_rows,
    give_pages,
)
from sqlax.runtime.generate.head import share_heads
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.key import hashed
from sqlax.runtime.generate.operator import CHUNK, GenerateOperator
from sqlax.runtime.generate.state import GenerateState
from sqlax.runtime.generate.write import fed, next_tokens
from sqlax.runtime.prompt.texts import TextTokens

Turned: TypeAlias = tuple[GenerateState, PageArrays]


class Begun(NamedTuple):
    """A run of the model that is about to be: the state before it, who takes part, and what in."""

    state: GenerateState
    crew: Crew
    rows: PagedRows


def begin_chunk(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    texts: TextTokens,
    state: GenerateState,
) -> Begun:
    """A chunk of prompts, and of forced runs of texts."""
    crew = chunk_crew(state.lanes)
    state = give_pages(state, crew, CHUNK.row_capacity)
    rows = chunk_rows(operator, inputs, texts, state, crew)
    state = _keyed(state, crew, rows)
    work = dataclasses.replace(state.work, chunks=state.work.chunks + 1)
    state = dataclasses.replace(state, work=work, waited=jnp.zeros((), jnp.int32))
    return Begun(state, crew, rows)


def begin_decode(
    operator: GenerateOperator, inputs: GenerateInputs, state: GenerateState, number: int
) -> Begun:
    """One token of each ready lane, in the width `number`."""
    crew = decode_crew(operator, state.lanes, number)
    state = give_pages(state, crew, 1)
    rows = decode_rows(state, crew)
    work = dataclasses.replace(
        state.work,
        decode_steps=state.work.decode_steps + 1,
        decode_rows=state.work.decode_rows + jnp.sum(crew.used, dtype=jnp.int64),
        decode_lanes=state.work.decode_lanes + operator.widths[number],
    )
    waiting = jnp.any(state.lanes.reads)
    state = dataclasses.replace(
        state,
        work=work,
        waited=jnp.where(waiting, state.waited + 1, 0).astype(jnp.int32),
        idle=state.idle + could_begin(operator, inputs, state).items,
    )
    return Begun(state, crew, rows)


def end_run(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    params: Params,
    state: GenerateState,
    crew: Crew,
    hidden: Float[Array, "rows width"],
) -> GenerateState:
    """The state once the model has given each row's last hidden state."""
    state = fed(state, crew)
    logits: Array = operator.model.logits(params, hidden)
    return next_tokens(operator, inputs, state, crew, logits)


def run_share(operator: GenerateOperator, state: GenerateState, arrays: PageArrays) -> Turned:
    """Heads that are read are held by all rows that begin with them; who writes gets a copy."""
    state, copies = share_heads(state)
    return state, operator.model.copy_pages(arrays, *copies)


def _keyed(state: GenerateState, crew: Crew, rows: PagedRows) -> GenerateState:
    """The keys of lanes whose prompt is read; a forced run of the text leaves the key alone."""
    lanes = state.lanes
    reading = crew.used & (lanes.fed[crew.lane] < lanes.prompt[crew.lane])
    target = jnp.where(reading, crew.lane, lanes.item.shape[0])
    key = lanes.key.at[target].set(hashed(lanes.key[crew.lane], rows), mode="drop")
    read = jnp.zeros_like(lanes.fed).at[target].set(crew.run, mode="drop") + lanes.fed
    head_key = jnp.where(read == lanes.head, key, lanes.head_key)
    return dataclasses.replace(state, lanes=dataclasses.replace(lanes, key=key, head_key=head_key))
