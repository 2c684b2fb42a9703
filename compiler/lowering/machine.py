"""The phases of a program and how one leads to the next.

A program is a small state machine: for each score operator PREPARE, PREFILL, RUN; a CHECK after
the operators below an early-stopping LIMIT; FINISH. A morsel is one phase, or one tile of RUN.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeAlias

import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.expressions import Expressions
from sqlax.compiler.lowering.kinds import answers_of, listed
from sqlax.compiler.lowering.phases import Phases
from sqlax.compiler.lowering.relational import Relational
from sqlax.compiler.lowering.surroundings import environment, program_texts, texts_of
from sqlax.compiler.lowering.written import ProgramTexts
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.plan.schema import Kind
from sqlax.models.language_model import Params
from sqlax.runtime.prompt.operator import PromptOperator
from sqlax.runtime.prompt.prepare import prepare
from sqlax.runtime.relation import Column, Relation
from sqlax.runtime.state import ProgramInputs, ProgramState

Branch: TypeAlias = Callable[[Params, ProgramInputs, ProgramState], ProgramState]


def relational(blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState) -> Relational:
    """The evaluator of the blueprint's relational nodes over present inputs and answers."""

    def answers(rows: Relational, node: Score) -> Relation:
        if node in blueprint.counts:
            return count_tokens(rows.evaluate(node.input), node.name, blueprint, inputs)
        number = blueprint.scores.index(node)
        operator = blueprint.operators[number]
        return answers_of(operator, inputs.operators[number], state.operators[number])

    return Relational(
        blueprint.catalog,
        dict(zip(blueprint.scans, inputs.scans, strict=True)),
        dict(zip(blueprint.joins, blueprint.capacities, strict=True)),
        environment(blueprint, inputs, state),
        answers,
    )


def count_tokens(
    relation: Relation, name: str, blueprint: Blueprint, inputs: ProgramInputs
) -> Relation:
    """The rows with AI_COUNT_TOKENS as a column: the lengths of the prompt's parts added up."""
    place, count = next(
        (i, c) for i, (n, c) in enumerate(blueprint.counts.items()) if n.name == name
    )
    lengths = inputs.pools[count.model].length
    constant = inputs.counted.take(jnp.full(relation.mask.shape, place))
    total, valid = constant.data.astype(jnp.int64), constant.valid
    for value, lead in count.values:
        column = relation.columns[value]
        total = total + lengths[lead, jnp.where(column.valid, column.data, 0)]
        valid = valid & column.valid
    no_error = Column(jnp.zeros(relation.capacity, jnp.int32), jnp.zeros(relation.capacity, bool))
    return relation.with_columns(**{name: Column(total, valid), name + "!": no_error})


def merged(blueprint: Blueprint, state: ProgramState, rows: Relational) -> ProgramState:
    """The state with what evaluating relational nodes reported."""
    needed = state.needed
    for number, join in enumerate(blueprint.joins):
        if join in rows.needed:
            needed = needed.at[number].max(rows.needed[join])
    overflow = state.overflow
    for condition in rows.environment.overflow:
        overflow = overflow | condition
    return dataclasses.replace(state, needed=needed, overflow=overflow)


def with_operator(state: ProgramState, number: int, changed: Any) -> ProgramState:
    """The state with one operator's progress replaced."""
    operators = (*state.operators[:number], changed, *state.operators[number + 1 :])
    return dataclasses.replace(state, operators=operators)


def prepare_phase(blueprint: Blueprint, number: int) -> Branch:
    """List an operator's work; wait where all that is left needs another window."""
    phases, operator = phases_of(blueprint), blueprint.operators[number]
    chain = next((c for c in blueprint.chains if number in c.operators), None)

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        rows = relational(blueprint, inputs, state)
        node = blueprint.scores[number]
        lower = rows.expressions(node.input)
        needed = lower.relation.mask
        if node.guard is not None:
            needed = needed & lower.predicate(node.guard)
        if chain is not None:
            place = jnp.arange(needed.shape[0], dtype=jnp.int32)
            needed = needed & (place < _window(blueprint, state, blueprint.chains.index(chain)))
        progress = prepare(
            operator,
            inputs.operators[number],
            texts_of(blueprint, inputs, state, operator.model.name),
            state.operators[number],
            _same_ids(operator, lower, program_texts(blueprint, inputs, state)),
            needed,
        )
        progress = listed(operator, progress)
        state = merged(blueprint, with_operator(state, number, progress), rows)
        begun = jnp.where(progress.prefilled, phases.run(number), phases.prefill(number))
        idle = progress.todo == 0
        state = goto(state, jnp.where(idle, after_run(blueprint, number), begun))
        return wait_if(state, idle & (progress.deferred > 0), number, phases)

    return branch


def _same_ids(operator: PromptOperator, lower: Expressions, texts: ProgramTexts | None) -> Relation:
    """The rows with one id for all equal texts of a prompt, so that each is asked about once."""
    schema, rows = lower.schema, lower.relation
    made = [n for n in operator.values if schema[n].kind is Kind.WRITTEN]
    if texts is None or not made:
        return rows
    columns = {n: rows.columns[n] for n in made}
    one = {n: dataclasses.replace(c, data=texts.first_equal(c.data)) for n, c in columns.items()}
    return rows.with_columns(**one)


def goto(state: ProgramState, phase: Int[Array, ""] | int) -> ProgramState:
    """The state with another phase next."""
    return dataclasses.replace(state, phase=jnp.asarray(phase, jnp.int32))


def wait_if(state: ProgramState, condition: Any, number: int, phases: Phases) -> ProgramState:
    """Back to PREPARE, waiting for the host to load another window, where `condition` holds."""
    return dataclasses.replace(
        state,
        phase=jnp.where(condition, phases.prepare(number), state.phase).astype(jnp.int32),
        waiting=state.waiting | condition,
        wanted=jnp.where(condition, state.operators[number].wanted, state.wanted),
    )


def after_run(blueprint: Blueprint, number: int) -> int:
    """The phase after an operator has answered all it was asked."""
    phases = phases_of(blueprint)
    for place, chain in enumerate(blueprint.chains):
        if number == chain.operators[-1]:
            return phases.check(place)
    return phases.prepare(number + 1)


def check_phase(blueprint: Blueprint, place: int) -> Branch:
    """Whether a LIMIT has its rows; if not, ask for twice as many input rows."""
    phases, chain = phases_of(blueprint), blueprint.chains[place]

    def branch(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        rows = relational(blueprint, inputs, state)
        found = rows.evaluate(chain.limit.input)
        window = _window(blueprint, state, place)
        inside = jnp.arange(found.capacity, dtype=jnp.int32) < window
        enough = jnp.sum(found.mask & inside, dtype=jnp.int64) >= chain.rows
        stop = enough | (window >= found.capacity)
        windows = state.windows.at[place].set(jnp.minimum(window * 2, found.capacity))
        first, last = chain.operators[0], chain.operators[-1]
        after = jnp.where(stop, phases.prepare(last + 1), phases.prepare(first))
        state = dataclasses.replace(state, windows=jnp.where(stop, state.windows, windows))
        return goto(merged(blueprint, state, rows), after)

    return branch


def _window(blueprint: Blueprint, state: ProgramState, place: int) -> Int[Array, ""]:
    """Input rows that an early-stopping LIMIT asks for now."""
    return jnp.maximum(state.windows[place], blueprint.chains[place].first_window)
