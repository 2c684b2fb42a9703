"""Which lanes take part in a run of the model, and the tokens that they put into it."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.kvcache.paged import PAGE
from sqlax.kvcache.pages import allocate
from sqlax.models.language_model import PagedRows
from sqlax.models.tile import QUERY_BLOCK
from sqlax.runtime.generate.inputs import GenerateInputs
from sqlax.runtime.generate.operator import CHUNK, GenerateOperator
from sqlax.runtime.generate.state import GenerateState, Lanes
from sqlax.runtime.prompt.batch import Run, lay_end_to_end
from sqlax.runtime.prompt.texts import TextTokens
from sqlax.runtime.prompt.tokens import Asked, prompt_tokens


class Crew(NamedTuple):
    """The lanes of a run, in the order of its rows.

    Attributes:
        lane: their numbers; of a row that is not used, any.
        used: rows with a lane.
        run: tokens that each puts in; 0 for rows without one.
    """

    lane: Int[Array, " rows"]
    used: Bool[Array, " rows"]
    run: Int[Array, " rows"]


def chunk_crew(lanes: Lanes) -> Crew:
    """The first lanes that read, as many as fit a chunk's tokens; of the last, what does."""
    order = jnp.argsort(~lanes.reads, stable=True)
    crew = _crew(order, lanes.reads, jnp.minimum(lanes.run, CHUNK.tokens), CHUNK.rows)
    room = CHUNK.tokens - (jnp.cumsum(crew.run, dtype=jnp.int32) - crew.run)
    run = jnp.where(crew.used, _fitting(lanes, crew.lane, room), 0)
    return Crew(crew.lane, run > 0, run)


def _fitting(
    lanes: Lanes, lane: Int[Array, " rows"], room: Int[Array, " rows"]
) -> Int[Array, " rows"]:
    """How much of some lanes' runs goes into so much room.

    A prompt may be cut between blocks of attention, before the block of its last token: what is
    computed together then follows from the row alone. That block and the forced tokens behind it
    are one run, or several that begin with a whole chunk, whatever was cut before.
    """
    run = lanes.run[lane]
    most = jnp.minimum(lanes.prompt[lane] - lanes.fed[lane], run) - 1
    part = jnp.maximum(jnp.minimum(room, most), 0) // QUERY_BLOCK * QUERY_BLOCK
    last = jnp.where(CHUNK.tokens <= room, CHUNK.tokens, 0)
    cut = jnp.where(most < QUERY_BLOCK, last, part)
    return jnp.where(run <= room, run, cut).astype(jnp.int32)


def decode_crew(operator: GenerateOperator, lanes: Lanes, number: int) -> Crew:
    """The lanes that need their next token, shortest rows first; width `number` holds them."""
    ready = lanes.decodes
    order = jnp.argsort(jnp.where(ready, lanes.fed, _LAST), stable=True)
    return _crew(order, ready, ready.astype(jnp.int32), operator.widths[number])


_LAST = 1 << 30


def _crew(
    order: Int[Array, " lanes"], asking: Bool[Array, " lanes"], run: Int[Array, " lanes"], rows: int
) -> Crew:
    """The first lanes in an order that has those that are asking in front."""
    lane = order[:rows].astype(jnp.int32)
    lane = jnp.pad(lane, (0, rows - lane.shape[0]))
    used = asking[lane] & (jnp.arange(rows, dtype=jnp.int32) < asking.shape[0])
    return Crew(lane, used, jnp.where(used, run[lane], 0))


def give_pages(state: GenerateState, crew: Crew, most_run: int) -> GenerateState:
    """The crew's lanes with pages for the tokens that they put in."""
    lanes = state.lanes
    fed = lanes.fed[crew.lane]
    held = (fed + PAGE - 1) // PAGE
    wanted = jnp.where(crew.used, (fed + crew.run + PAGE - 1) // PAGE - held, 0)
    most = -(-most_run // PAGE) + (most_run > 1)
    pages, given, _ = allocate(state.pages, wanted, most)
    column = held[:, None] + jnp.arange(most, dtype=jnp.int32)[None, :]
    column = jnp.where(given > 0, column, lanes.table.shape[1])
    table = lanes.table.at[crew.lane[:, None], column].set(given, mode="drop")
    return dataclasses.replace(state, pages=pages, lanes=dataclasses.replace(lanes, table=table))


def chunk_rows(
    operator: GenerateOperator,
    inputs: GenerateInputs,
    texts: TextTokens,
    state: GenerateState,
    crew: Crew,
) -> PagedRows:
    """The pending tokens of the crew: of the prompt, then of the text.

    A prompt without tokens is an end token: what a document begins with.
    """
    lanes, run = state.lanes, lay_end_to_end(crew.run, CHUNK.tokens)
    fed, prompt = lanes.fed[crew.lane], lanes.prompt[crew.lane]
    offset = fed[run.inside] + run.offset
    tokens = prompt_tokens(
        operator, inputs, texts, state, Asked(lanes.item[crew.lane], run.inside, offset)
    )
    blank = state.length[lanes.item[crew.lane]] == 0
    tokens = jnp.where(blank[run.inside], _end_token(inputs), tokens)
    made = offset - prompt[run.inside]
    written = state.texts.tokens.at[lanes.place[crew.lane][run.inside], made].get(mode="clip")
    tokens = jnp.where(made >= 0, written, tokens)
    tokens = jnp.where(run.row < CHUNK.rows, tokens, 0)
    return _paged(state, crew, run, tokens, CHUNK.row_capacity)


def _end_token(inputs: GenerateInputs) -> Int[Array, ""]:
    return jnp.argmax(inputs.automaton.ends).astype(jnp.int32)


def decode_rows(state: GenerateState, crew: Crew) -> PagedRows:
    """The last token of each of the crew's texts."""
    lanes, rows = state.lanes, crew.lane.shape[0]
    number = jnp.arange(rows, dtype=jnp.int32)
    last = state.texts.tokens.at[lanes.place[crew.lane], lanes.made[crew.lane] - 1].get(mode="clip")
    run = Run(jnp.where(crew.used, number, rows), number, number, jnp.zeros(rows, jnp.int32))
    return _paged(state, crew, run, jnp.where(crew.used, last, 0), 1)


def _paged(
    state: GenerateState, crew: Crew, run: Run, tokens: Int[Array, " tokens"], capacity: int
) -> PagedRows:
    lanes = state.lanes
    return PagedRows(
        tokens=tokens,
        row=run.row,
        start=run.start,
        length=crew.run,
        before=jnp.where(crew.used, lanes.fed[crew.lane], 0),
        prompt=lanes.prompt[crew.lane],
        table=jnp.where(crew.used[:, None], lanes.table[crew.lane], 0),
        row_capacity=capacity,
    )
