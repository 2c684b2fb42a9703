"""A run of the model for whichever generate operator of a group is at work.

The model's body is compiled once for the group. What an operator does before it and behind it is
its own: loops that turn once where it is its turn, because XLA copies what goes through a `switch`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool

from sqlax.compiler.lowering.blueprint import Blueprint, phases_of
from sqlax.compiler.lowering.groups import Group, generate_operators, pick
from sqlax.compiler.lowering.kinds import Generating, generating
from sqlax.compiler.lowering.machine import with_operator
from sqlax.compiler.lowering.surroundings import texts_of
from sqlax.models.language_model import GeneratingModel, PagedRows, Params
from sqlax.runtime.generate.chunk import Crew
from sqlax.runtime.generate.turns import Begun, begin_chunk, begin_decode, end_run
from sqlax.runtime.state import ProgramInputs, ProgramState

Value = TypeVar("Value")


def asked_of(
    blueprint: Blueprint, inputs: ProgramInputs, state: ProgramState, number: int
) -> Generating:
    """A generate operator with what it reads and how far it is."""
    operator = blueprint.operators[number]
    return generating(operator, inputs.operators[number], state.operators[number])


@dataclass(frozen=True)
class Run:
    """A chunk or a decode step, which the operators of a group share.

    Attributes:
        blueprint: the plan.
        group: the operators that may need it.
        width: the number of a decode step's width; None for a chunk.
    """

    blueprint: Blueprint
    group: Group
    width: int | None = None

    def __call__(self, params: Params, inputs: ProgramInputs, state: ProgramState) -> ProgramState:
        """The state after the run of the operator at work."""
        model, name = self.group.model, self.group.model.name
        assert isinstance(model, GeneratingModel)
        state, crew, rows = self._begin(inputs, state)
        prefix = pick(self.group, state, lambda n: _prefix_of(inputs, state, n))
        hidden, pages = model.extend(params[name], *prefix, rows, state.pages[name])
        for number in self.group.members:
            asked = asked_of(self.blueprint, inputs, state, number)

            def end(progress: Any, asked: Generating = asked) -> Any:
                return end_run(asked.operator, asked.inputs, params[name], progress, crew, hidden)

            after = self._if_at_work(state, number, asked.state, end)
            state = with_operator(state, number, after)
        return dataclasses.replace(state, pages={**state.pages, name: pages})

    def _begin(
        self, inputs: ProgramInputs, state: ProgramState
    ) -> tuple[ProgramState, Crew, PagedRows]:
        """What goes into the model, of the operator at work."""
        shapes = jax.eval_shape(lambda: self._begun(inputs, state, self.group.members[0]))
        blank = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), (shapes.crew, shapes.rows))
        crew, rows = blank
        for number in self.group.members:

            def begin(before: Begun, state: ProgramState = state, number: int = number) -> Begun:
                return self._begun(inputs, with_operator(state, number, before.state), number)

            before = Begun(asked_of(self.blueprint, inputs, state, number).state, crew, rows)
            progress, crew, rows = self._if_at_work(state, number, before, begin)
            state = with_operator(state, number, progress)
        return state, crew, rows

    def _begun(self, inputs: ProgramInputs, state: ProgramState, number: int) -> Begun:
        asked = asked_of(self.blueprint, inputs, state, number)
        if self.width is not None:
            begun = begin_decode(asked.operator, asked.inputs, asked.state, self.width)
        else:
            texts = texts_of(self.blueprint, inputs, state, asked.operator.model.name)
            begun = begin_chunk(asked.operator, asked.inputs, texts, asked.state)
        return begun._replace(rows=self._padded(begun.rows))

    def _padded(self, rows: PagedRows) -> PagedRows:
        """Rows with as many pages as a row of any operator of the group."""
        operators = generate_operators(self.blueprint, self.group)
        most = max(operator.pages_per_row for operator in operators.values())
        table = jnp.pad(rows.table, ((0, 0), (0, most - rows.table.shape[1])))
        return dataclasses.replace(rows, table=table)

    def _if_at_work(
        self, state: ProgramState, number: int, value: Value, change: Callable[[Value], Value]
    ) -> Value:
        """`value` changed where it is the operator's turn; of a group of one it always is."""
        if len(self.group.members) == 1:
            return change(value)
        return _once(state.phase == phases_of(self.blueprint).run(number), value, change)


def _once(wanted: Bool[Array, ""], value: Value, change: Callable[[Value], Value]) -> Value:
    """`change(value)` where it is wanted, in place."""

    def body(carry: tuple[Any, Value]) -> tuple[Any, Value]:
        return jnp.zeros((), bool), change(carry[1])

    done: tuple[Any, Value] = jax.lax.while_loop(lambda carry: carry[0], body, (wanted, value))
    return done[1]


def _prefix_of(inputs: ProgramInputs, state: ProgramState, number: int) -> tuple[Any, Any]:
    return state.operators[number].prefix, inputs.operators[number].prefix_length
