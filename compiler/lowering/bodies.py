"""Scoring's part of a program: one compiled body for each tile shape, shared by a group."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.groups import Group, pick
from sqlax.compiler.lowering.kinds import scoring
from sqlax.compiler.lowering.machine import Branch, after_run, goto, wait_if, with_operator
from sqlax.compiler.lowering.surroundings import texts_of
from sqlax.models.language_model import Params
from sqlax.runtime.prompt.batch import next_batch
from sqlax.runtime.score.tile import pack, write
from sqlax.runtime.state import ProgramInputs, ProgramState


def prefill_phase(blueprint: Blueprint, group: Group) -> Branch:
    """Compute the constant prefix of the operator at work."""
    phases = phases_of(blueprint)

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        given = pick(group, state, lambda n: _prefix_of(inputs, n))
        prefix = group.model.prefill(params[group.model.name], *given)

        def store(number: int) -> ProgramState:
            progress = state.operators[number]
            length = inputs.operators[number].prefix_length.astype(jnp.int64)
            changed = dataclasses.replace(
                progress,
                prefix=prefix,
                prefilled=jnp.ones((), bool),
                tokens=progress.tokens + length,
            )
            return goto(with_operator(state, number, changed), phases.run(number))

        return pick(group, state, store)

    return branch


def _prefix_of(inputs: ProgramInputs, number: int) -> tuple[Array, Array]:
    given = inputs.operators[number]
    return given.prefix_tokens, given.prefix_length


def run_phase(blueprint: Blueprint, group: Group, shape: int) -> Branch:
    """Answer one tile of the operator at work."""
    phases, tile = phases_of(blueprint), group.tiles[shape]

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        def load(number: int) -> Any:
            operator = blueprint.operators[number]
            asked = scoring(operator, inputs.operators[number], state.operators[number])
            given, progress = asked.inputs, asked.state
            batch = next_batch(progress, shape, tile, given.nodes)
            texts = texts_of(blueprint, inputs, state, operator.model.name)
            rows = pack(asked.operator, given, texts, progress, batch, tile)
            return batch, rows, progress.prefix, given.prefix_length, given.trie

        batch, rows, prefix, length, trie = pick(group, state, load)
        logp = group.model.score(params[group.model.name], prefix, length, rows, trie)

        def store(number: int) -> ProgramState:
            operator = blueprint.operators[number]
            asked = scoring(operator, inputs.operators[number], state.operators[number])
            progress = write(asked.state, batch, rows, logp, asked.inputs)
            changed = with_operator(state, number, progress)
            over = progress.cursor >= progress.todo
            after = jnp.where(over, after_run(blueprint, number), phases.run(number))
            return wait_if(goto(changed, after), over & (progress.deferred > 0), number, phases)

        return pick(group, state, store)

    return branch


def shape_number(state: ProgramState, number: int) -> Int[Array, ""]:
    """The tile shape of the next slot of an operator."""
    progress = state.operators[number]
    return progress.bucket[progress.order[progress.cursor]]
