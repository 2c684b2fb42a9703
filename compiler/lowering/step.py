"""The one function of a program: `step(params, inputs, state, budget) -> state`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array, Int

from sqlax.compiler.lowering.bodies import Group, groups_of, prefill_phase, run_phase, shape_number
from sqlax.compiler.lowering.finish import finish_phase, finished
from sqlax.compiler.lowering.machine import (
    Blueprint,
    Branch,
    check_phase,
    phases_of,
    prepare_phase,
    relational,
)
from sqlax.models.language_model import Params
from sqlax.runtime.relation import Relation
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.state import ScoreState, initial_state
from sqlax.runtime.state import ProgramInputs, ProgramState

Step = Callable[[Params, ProgramInputs, ProgramState, Int[Array, ""]], ProgramState]


def build_step(blueprint: Blueprint, operators: Sequence[ScoreInputs]) -> Step:
    """The step function of a blueprint.

    A step runs at most `budget` morsels and stops early when the program is done or waits for a
    window of the token pool. All phases are branches of one switch in one loop, so a run never
    leaves the device between its first and its last morsel.

    Args:
        blueprint: the plan.
        operators: each score operator's constants, or their shapes.
    """
    morsels = build_morsels(blueprint, operators)
    done = phases_of(blueprint).done

    def step(
        params: Params, inputs: ProgramInputs, state: ProgramState, budget: Int[Array, ""]
    ) -> ProgramState:
        def goes_on(carry: tuple[ProgramState, Array]) -> Array:
            now, left = carry
            return (now.phase < done) & ~now.waiting & (left > 0)

        def morsel(carry: tuple[ProgramState, Array]) -> tuple[ProgramState, Array]:
            now, left = carry
            number = morsels.number(now)
            after = jax.lax.switch(number, morsels.branches, params, inputs, now)
            return dataclasses.replace(after, steps=after.steps + 1), left - 1

        started = dataclasses.replace(state, waiting=jnp.zeros((), bool))
        return jax.lax.while_loop(goes_on, morsel, (started, budget))[0]

    return step


@dataclass(frozen=True)
class Morsels:
    """What a program does one after the other.

    Attributes:
        branches: every phase, and every tile shape of RUN, as a function from state to state.
        number: which of them is next.
    """

    branches: Sequence[Branch]
    number: Callable[[ProgramState], Int[Array, ""]]


def build_morsels(blueprint: Blueprint, operators: Sequence[ScoreInputs]) -> Morsels:
    """The morsels of a blueprint; `build_step` puts them into one loop."""
    groups = groups_of(blueprint, operators)
    return Morsels(
        _branches(blueprint, groups), lambda state: _branch_number(blueprint, groups, state)
    )


def _branches(blueprint: Blueprint, groups: Sequence[Group]) -> list[Branch]:
    """Every phase that is not PREFILL or RUN by its number; then those, group by group."""
    branches: list[Branch] = [
        prepare_phase(blueprint, number) for number in range(len(blueprint.operators))
    ]
    branches += [check_phase(blueprint, place) for place in range(len(blueprint.chains))]
    branches.append(finish_phase(blueprint))
    for group in groups:
        branches.append(prefill_phase(blueprint, group))
        branches += [run_phase(blueprint, group, n) for n in range(len(group.tiles))]
    return branches


def _branch_number(
    blueprint: Blueprint, groups: Sequence[Group], state: ProgramState
) -> Int[Array, ""]:
    """The branch of the present phase; RUN goes to the body of the next slot's tile shape."""
    phases = phases_of(blueprint)
    table = [0] * phases.done
    count = len(blueprint.operators)
    for number in range(count):
        table[phases.prepare(number)] = number
    for place in range(phases.chains + 1):
        table[phases.check(place)] = count + place
    shapes = jnp.zeros(phases.done, jnp.int32)
    base = count + phases.chains + 1
    for group in groups:
        for number in group.members:
            table[phases.prefill(number)] = base
            table[phases.run(number)] = base + 1
            shapes = shapes.at[phases.run(number)].set(shape_number(state, number))
        base += 1 + len(group.tiles)
    return jnp.asarray(table, jnp.int32)[state.phase] + shapes[state.phase]


def start(blueprint: Blueprint, params: Params, inputs: ProgramInputs) -> ProgramState:
    """The state before the first morsel: all zeros, in the shapes the phases will give them."""
    state = empty_state(blueprint, inputs)
    for number in range(len(blueprint.operators)):
        made = _initial_operator(blueprint, params, inputs, state, number)
        state = dataclasses.replace(state, operators=(*state.operators, made))
    output, lists = _zeros_of(
        lambda i, s: finished(blueprint.plan, relational(blueprint, i, s)), inputs, state
    )
    return dataclasses.replace(state, output=output, lists=lists)


def _initial_operator(
    blueprint: Blueprint, params: Params, inputs: ProgramInputs, state: ProgramState, number: int
) -> ScoreState:
    operator, given = blueprint.operators[number], inputs.operators[number]
    node = blueprint.scores[number]
    relation: Relation = _zeros_of(
        lambda i, s: relational(blueprint, i, s).evaluate(node.input), inputs, state
    )
    prefix = _zeros_of(
        operator.model.prefill,
        params[operator.model.name],
        given.prefix_tokens,
        given.prefix_length,
    )
    return initial_state(operator, relation, prefix, given.trie.path.shape[0], _ways(inputs))


def _ways(inputs: ProgramInputs) -> int:
    """Windows in the token pool at once."""
    return max((pool.first.shape[0] for pool in inputs.pools.values()), default=1)


def empty_state(blueprint: Blueprint, inputs: ProgramInputs) -> ProgramState:
    """The state before the first morsel, without operators and without a place for the rows."""
    return ProgramState(
        phase=jnp.zeros((), jnp.int32),
        waiting=jnp.zeros((), bool),
        wanted=jnp.zeros(_ways(inputs), jnp.int32),
        windows=jnp.zeros(len(blueprint.chains), jnp.int32),
        operators=(),
        output=Relation({}, jnp.zeros(0, bool)),
        lists={},
        needed=jnp.zeros(len(blueprint.joins), jnp.int64),
        overflow=jnp.zeros((), bool),
        steps=jnp.zeros((), jnp.int32),
    )


def _zeros_of(function: Callable[..., Any], *arguments: Any) -> Any:
    shapes = jax.eval_shape(function, *arguments)
    return jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)


def program_key(blueprint: Blueprint, constants: Sequence[ScoreInputs]) -> Any:
    """Everything static that a run's data decided."""
    operators = tuple(
        (o.model.identity, o.parts, o.items, o.neutral, o.tiles) for o in blueprint.operators
    )
    shapes = tuple(leaf.shape for given in constants for leaf in jax.tree.leaves(given))
    types = tuple(sorted(blueprint.parameter_types.items()))
    return operators, shapes, blueprint.capacities, blueprint.constants, types
