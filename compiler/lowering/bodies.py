"""The model's part of a program: one compiled body for each tile shape, shared by operators.

Operators whose model, prefix capacity and label shapes agree share their bodies: what differs
between them is data, picked by the number of the operator at work.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.kinds import scoring
from sqlax.compiler.lowering.machine import Branch, after_run, goto, wait_if, with_operator
from sqlax.compiler.lowering.surroundings import texts_of
from sqlax.models.language_model import LanguageModel, Params
from sqlax.runtime.prompt.batch import next_batch
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.operator import Tile
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.operator import ScoreOperator
from sqlax.runtime.score.tile import pack, write
from sqlax.runtime.state import ProgramInputs, ProgramState

Picked = TypeVar("Picked")


@dataclass(frozen=True)
class Group:
    """Operators that share compiled bodies, with the tile shapes that any of them needs.

    A generate operator is a group of its own without tiles: only its prefix is computed here.
    """

    model: LanguageModel
    members: tuple[int, ...]
    tiles: tuple[Tile, ...]


def groups_of(blueprint: Blueprint, inputs: Sequence[PromptInputs]) -> tuple[Group, ...]:
    """The operators of a blueprint by what their bodies are compiled for.

    Args:
        blueprint: the plan.
        inputs: each operator's constants, or their shapes.
    """
    found: dict[Any, list[int]] = {}
    for number, (operator, given) in enumerate(zip(blueprint.operators, inputs, strict=True)):
        if not isinstance(given, ScoreInputs):
            found[number] = [number]
            continue
        shapes = tuple((leaf.shape, str(leaf.dtype)) for leaf in jax.tree.leaves(given.trie))
        key = (operator.model.name, given.prefix_tokens.shape, shapes, given.trie.normalise)
        found.setdefault(key, []).append(number)
    return tuple(_group(blueprint, tuple(members)) for members in found.values())


def _group(blueprint: Blueprint, members: tuple[int, ...]) -> Group:
    operators = [blueprint.operators[number] for number in members]
    tiles = max((o.tiles for o in operators if isinstance(o, ScoreOperator)), key=len, default=())
    return Group(operators[0].model, members, tiles)


def prefill_phase(blueprint: Blueprint, group: Group) -> Branch:
    """Compute the constant prefix of the operator at work."""
    phases = phases_of(blueprint)

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        given = _pick(group, state, lambda n: _prefix_of(inputs, n))
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

        return _pick(group, state, store)

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

        batch, rows, prefix, length, trie = _pick(group, state, load)
        logp = group.model.score(params[group.model.name], prefix, length, rows, trie)

        def store(number: int) -> ProgramState:
            operator = blueprint.operators[number]
            asked = scoring(operator, inputs.operators[number], state.operators[number])
            progress = write(asked.state, batch, rows, logp, asked.inputs)
            changed = with_operator(state, number, progress)
            over = progress.cursor >= progress.todo
            after = jnp.where(over, after_run(blueprint, number), phases.run(number))
            return wait_if(goto(changed, after), over & (progress.deferred > 0), number, phases)

        return _pick(group, state, store)

    return branch


def _pick(group: Group, state: ProgramState, of_operator: Callable[[int], Picked]) -> Picked:
    """`of_operator(n)` for the member n of the group that is at work."""
    if len(group.members) == 1:
        return of_operator(group.members[0])
    number = state.phase // 3
    place = jnp.sum(jnp.asarray(group.members, jnp.int32) < number, dtype=jnp.int32)
    choices = [lambda n=n: of_operator(n) for n in group.members]
    picked: Picked = jax.lax.switch(place, choices)
    return picked


def shape_number(state: ProgramState, number: int) -> Int[Array, ""]:
    """The tile shape of the next slot of an operator."""
    progress = state.operators[number]
    return progress.bucket[progress.order[progress.cursor]]
