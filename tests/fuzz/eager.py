"""Runs a query's program operation by operation: no compilation, so a query takes milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.blueprint import Blueprint
from sqlax.compiler.lowering.machine import Branch
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.lowering.step import Morsels, build_morsels, empty_state
from sqlax.compiler.query import QueryPlan
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.program import LoadWindows, Program
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.state import ProgramInputs, ProgramState


def execution(plan: QueryPlan, model: LanguageModel, *, compiled: bool) -> Execution:
    """The execution of a plan.

    Args:
        plan: the query.
        model: the only model.
        compiled: whether its programs are compiled.
    """
    models = Models(model.name, {model.name: model})
    return Execution(plan, models) if compiled else EagerExecution(plan, models)


class EagerExecution(Execution):
    """An execution whose programs are not compiled."""

    def _make_program(self, blueprint: Blueprint, operators: Sequence[PromptInputs]) -> Program:
        whole = super()._make_program(blueprint, operators)
        return EagerProgram(
            step=whole.step,
            start=whole.start if operators else lambda _, inputs: empty_state(blueprint, inputs),
            done=whole.done,
            models=whole.models,
            morsels=build_morsels(blueprint, operators),
        )


@dataclass
class EagerProgram(Program):
    """A program whose loop runs on the host.

    Attributes:
        morsels: what the loop repeats.
    """

    morsels: Morsels | None = None

    def slices(
        self,
        inputs: ProgramInputs,
        load_windows: LoadWindows,
        budget: int | None = None,
        known: Callable[[ProgramState], ProgramState] = lambda state: state,
    ) -> Iterator[ProgramState]:
        """Run, yielding the state after each morsel; the last one is done."""
        assert self.morsels is not None, "given by the execution"
        shapes = jax.eval_shape(self.start, self.models, inputs)
        state = known(jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), shapes))
        models = jax.device_put(self.models)
        while int(state.phase) < self.done:
            if bool(state.waiting):
                inputs = load_windows(tuple(np.asarray(state.wanted).tolist()))
                state = replace(state, waiting=jnp.zeros((), bool))
            branch = self._next(inputs, state)
            with _on_the_host():
                state = branch(models, inputs, state)
            yield state

    def _next(self, inputs: ProgramInputs, state: ProgramState) -> Branch:
        """The morsel whose turn it is."""
        assert self.morsels is not None, "given by the execution"
        for loop in self.morsels.loops:
            if bool(loop.is_next(inputs, state)):
                return loop.body
        return self.morsels.branches[int(self.morsels.number(state))]


_COND, _FORI_LOOP = jax.lax.cond, jax.lax.fori_loop


def _as_it_is(values: Any) -> Any:
    """In place of a barrier: no operation is merged with another here, and barriers are costly."""
    return values


def _cond(condition: Any, yes: Callable[..., Any], no: Callable[..., Any], *values: Any) -> Any:
    """The branch itself: as an operation, a closure would be compiled each time."""
    if _traced(condition, values):
        return _COND(condition, yes, no, *values)
    return yes(*values) if bool(condition) else no(*values)


def _fori_loop(low: Any, high: Any, body: Callable[[Any, Any], Any], value: Any) -> Any:
    """The loop on the host, as `_cond`."""
    if _traced(low, high, value):
        return _FORI_LOOP(low, high, body, value)
    kind = jnp.asarray(low).dtype
    for number in range(int(low), int(high)):
        value = body(jnp.asarray(number, kind), value)
    return value


def _traced(*values: Any) -> bool:
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


@contextmanager
def _on_the_host() -> Iterator[None]:
    """While it lasts, control flow over values that are known is Python's."""
    functions = {"optimization_barrier": _as_it_is, "cond": _cond, "fori_loop": _fori_loop}
    with ExitStack() as stack:
        for name, function in functions.items():
            stack.enter_context(mock.patch.object(jax.lax, name, function))
        yield
