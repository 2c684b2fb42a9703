"""The one function of a program: `step(params, inputs, state, budget) -> state`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.bodies import prefill_phase, run_phase, shape_number
from sqlax.compiler.lowering.finish import finish_phase, finished
from sqlax.compiler.lowering.generation import Loop, loops_of
from sqlax.compiler.lowering.groups import Group, groups_of
from sqlax.compiler.lowering.kinds import begin
from sqlax.compiler.lowering.machine import Branch, check_phase, prepare_phase, relational
from sqlax.models.language_model import GeneratingModel, PageArrays, Params
from sqlax.runtime.generate.operator import GenerateOperator
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.relation import Relation
from sqlax.runtime.state import ProgramInputs, ProgramState

Carry: TypeAlias = tuple[ProgramState, Int[Array, ""]]
"""The state, and how many morsels may still be run."""

Step = Callable[[Params, ProgramInputs, ProgramState, Int[Array, ""]], ProgramState]


def build_step(blueprint: Blueprint, operators: Sequence[PromptInputs]) -> Step:
    """The step function of a blueprint.

    A step runs at most `budget` morsels and stops early when the program is done or waits for a
    window of the token pool. All phases are branches of one switch or inner loops of one loop, so
    a run never leaves the device between its first and its last morsel.

    Args:
        blueprint: the plan.
        operators: the constants of each operator that asks a model, or their shapes.
    """
    morsels = build_morsels(blueprint, operators)

    def step(
        params: Params, inputs: ProgramInputs, state: ProgramState, budget: Int[Array, ""]
    ) -> ProgramState:
        def turn(carry: Carry) -> Carry:
            for loop in morsels.loops:
                carry = _looped(morsels, loop, params, inputs, carry)
            return _switched(morsels, params, inputs, carry)

        started = dataclasses.replace(state, waiting=jnp.zeros((), bool))
        return jax.lax.while_loop(morsels.goes_on, turn, (started, budget))[0]

    return step


@dataclass(frozen=True)
class Morsels:
    """What a program does one after the other.

    Attributes:
        branches: every phase, and every tile shape of scoring, as a function from state to state.
        number: which of them is next.
        loops: what updates pages, as inner loops; tried before the branches.
        done: the phase after the last one.
    """

    branches: Sequence[Branch]
    number: Callable[[ProgramState], Int[Array, ""]]
    loops: Sequence[Loop]
    done: int

    def goes_on(self, carry: Carry) -> Bool[Array, ""]:
        """Whether there is something to do and some budget left."""
        now, left = carry
        return (now.phase < self.done) & ~now.waiting & (left > 0)


def build_morsels(blueprint: Blueprint, operators: Sequence[PromptInputs]) -> Morsels:
    """The morsels of a blueprint; `build_step` puts them into one loop."""
    groups = groups_of(blueprint, operators)
    return Morsels(
        _branches(blueprint, groups),
        lambda state: _branch_number(blueprint, groups, state),
        loops_of(blueprint, groups),
        phases_of(blueprint).done,
    )


def _looped(
    morsels: Morsels, loop: Loop, params: Params, inputs: ProgramInputs, carry: Carry
) -> Carry:
    """The carry after all turns of one loop."""

    def is_next(carry: Carry) -> Bool[Array, ""]:
        return morsels.goes_on(carry) & loop.is_next(inputs, carry[0])

    def body(carry: Carry) -> Carry:
        return _counted(loop.body(params, inputs, carry[0]), carry[1])

    ended: Carry = jax.lax.while_loop(is_next, body, carry)
    return ended


def _switched(morsels: Morsels, params: Params, inputs: ProgramInputs, carry: Carry) -> Carry:
    """The carry after one branch, which gets no pages; after none where a loop is next."""
    now, left = carry
    pages = now.pages
    bare = dataclasses.replace(now, pages={})
    if not morsels.loops:
        return _counted(
            jax.lax.switch(morsels.number(bare), morsels.branches, params, inputs, bare), left
        )
    waits = ~morsels.goes_on(carry)
    for loop in morsels.loops:
        waits |= loop.is_next(inputs, now)
    number = jnp.where(waits, len(morsels.branches), morsels.number(bare))
    after = jax.lax.switch(number, [*morsels.branches, _as_it_is], params, inputs, bare)
    counted = _counted(after, left, ~waits)
    return dataclasses.replace(counted[0], pages=pages), counted[1]


def _as_it_is(params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
    return state


def _counted(state: ProgramState, left: Int[Array, ""], done: Any = True) -> Carry:
    one = jnp.asarray(done, bool).astype(jnp.int32)
    return dataclasses.replace(state, steps=state.steps + one), left - one


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
    return dataclasses.replace(state, output=output, lists=lists, pages=_pages(blueprint))


def _pages(blueprint: Blueprint) -> dict[str, PageArrays]:
    """Empty pages for each model that writes, as many as its largest operator needs."""
    counts: dict[str, int] = {}
    models: dict[str, GeneratingModel] = {}
    for operator in blueprint.operators:
        if isinstance(operator, GenerateOperator):
            name, model = operator.model.name, operator.model
            assert isinstance(model, GeneratingModel)
            counts[name] = max(counts.get(name, 0), operator.pages)
            models[name] = model
    return {name: model.new_pages(counts[name]) for name, model in models.items()}


def _initial_operator(
    blueprint: Blueprint, params: Params, inputs: ProgramInputs, state: ProgramState, number: int
) -> PromptState:
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
    return begin(operator, given, relation, prefix, _ways(inputs))


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
        pages={},
    )


def _zeros_of(function: Callable[..., Any], *arguments: Any) -> Any:
    shapes = jax.eval_shape(function, *arguments)
    return jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes)


def program_key(blueprint: Blueprint, constants: Sequence[PromptInputs]) -> Any:
    """Everything static that a run's data decided."""
    operators = tuple(operator.shape for operator in blueprint.operators)
    shapes = tuple(leaf.shape for given in constants for leaf in jax.tree.leaves(given))
    types = tuple(sorted(blueprint.parameter_types.items()))
    return operators, shapes, blueprint.capacities, blueprint.constants, types
