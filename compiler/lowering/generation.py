"""The generate operators' part of a program: loops that update pages in place.

XLA copies every array that goes through a `switch`, so pages go through none. Each kind of turn is
an inner `while_loop` that runs while it is its turn; see `docs/design/generate.md`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import jax.numpy as jnp
from jaxtyping import Array, Bool

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.kinds import Generating, generating
from sqlax.compiler.lowering.machine import Branch, after_run, goto, wait_if, with_operator
from sqlax.compiler.lowering.surroundings import texts_of
from sqlax.models.language_model import Params
from sqlax.runtime.generate.admit import admit
from sqlax.runtime.generate.choose import Turn, what_next
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.generate.turns import Turned, run_chunk, run_decode, run_share
from sqlax.runtime.state import ProgramInputs, ProgramState

IsNext: TypeAlias = Callable[[ProgramInputs, ProgramState], Bool[Array, ""]]


class Loop(NamedTuple):
    """A body, and whether the state's next turn is its.

    Attributes:
        is_next: a scalar of inputs and state.
        body: a morsel.
    """

    is_next: IsNext
    body: Branch


def loops_of(blueprint: Blueprint) -> tuple[Loop, ...]:
    """The loops of all generate operators, in the order in which they are tried."""
    numbers = (
        number
        for number, operator in enumerate(blueprint.operators)
        if isinstance(operator, GenerateOperator)
    )
    return tuple(loop for number in numbers for loop in _loops(blueprint, number))


def _loops(blueprint: Blueprint, number: int) -> Iterator[Loop]:
    operator = blueprint.operators[number]
    assert isinstance(operator, GenerateOperator)
    yield Loop(_is_next(blueprint, number, Turn.ADMIT), _admission(blueprint, number))
    if operator.head:
        yield Loop(_is_next(blueprint, number, Turn.SHARE), _sharing(blueprint, number))
    for shape in range(len(operator.chunks)):
        yield Loop(_is_next(blueprint, number, Turn.CHUNK, shape), _chunk(blueprint, number, shape))
    for shape in range(len(operator.widths)):
        yield Loop(_is_next(blueprint, number, Turn.DECODE, shape), _step(blueprint, number, shape))
    yield Loop(_is_next(blueprint, number, Turn.OVER), _end(blueprint, number))


def _of(
    blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState, number: int
) -> Generating:
    return generating(
        blueprint.operators[number], inputs.operators[number], state.operators[number]
    )


def _is_next(blueprint: Blueprint, number: int, turn: Turn, shape: int | None = None) -> IsNext:
    run = phases_of(blueprint).run(number)

    def is_next(inputs: ProgramInputs, state: ProgramState) -> Bool[Array, ""]:
        asked = _of(blueprint, inputs, state, number)
        following = what_next(asked.operator, asked.inputs, asked.state)
        fits = jnp.ones((), bool) if shape is None else following.shape == shape
        return (state.phase == run) & (following.turn == turn) & fits

    return is_next


def _admission(blueprint: Blueprint, number: int) -> Branch:
    def body(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        asked = _of(blueprint, inputs, state, number)
        texts = texts_of(blueprint, inputs, state, asked.operator.model.name)
        admitted = admit(asked.operator, asked.inputs, texts, asked.state)
        return with_operator(state, number, admitted)

    return body


def _sharing(blueprint: Blueprint, number: int) -> Branch:
    def body(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        asked = _of(blueprint, inputs, state, number)
        model = asked.operator.model.name
        made = run_share(asked.operator, asked.state, state.pages[model])
        return _after(state, number, model, made)

    return body


def _chunk(blueprint: Blueprint, number: int, shape: int) -> Branch:
    def body(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        asked = _of(blueprint, inputs, state, number)
        operator, model = asked.operator, asked.operator.model.name
        made = run_chunk(
            operator,
            asked.inputs,
            params[model],
            texts_of(blueprint, inputs, state, model),
            asked.state,
            state.pages[model],
            shape,
        )
        return _after(state, number, model, made)

    return body


def _step(blueprint: Blueprint, number: int, shape: int) -> Branch:
    def body(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        asked = _of(blueprint, inputs, state, number)
        operator, model = asked.operator, asked.operator.model.name
        arrays = state.pages[model]
        made = run_decode(operator, asked.inputs, params[model], asked.state, arrays, shape)
        return _after(state, number, model, made)

    return body


def _end(blueprint: Blueprint, number: int) -> Branch:
    """All texts are written: go on, or wait for another window of the pool."""
    phases = phases_of(blueprint)

    def body(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        deferred = state.operators[number].deferred > 0
        return wait_if(goto(state, after_run(blueprint, number)), deferred, number, phases)

    return body


def _after(state: ProgramState, number: int, model: str, made: Turned) -> ProgramState:
    progress, arrays = made
    state = with_operator(state, number, progress)
    return dataclasses.replace(state, pages={**state.pages, model: arrays})
