"""Runs a query's program operation by operation: no compilation, so a query takes milliseconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.assemble import Models
from sqlax.compiler.lowering.machine import finish_phase
from sqlax.compiler.lowering.step import start
from sqlax.compiler.query import QueryPlan
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.program import Program
from sqlax.runtime.state import ProgramInputs, ProgramState


def execution(plan: QueryPlan, model: LanguageModel, *, compiled: bool) -> Execution:
    """The execution of a plan.

    Args:
        plan: the query.
        model: the only model.
        compiled: whether the program is compiled; a plan with semantic operators always is, for
            its program is a loop.
    """
    models = Models(model.name, {model.name: model})
    kind = Execution if compiled or plan.scores else EagerExecution
    return kind(plan, models)


class EagerExecution(Execution):
    """An execution whose programs are not compiled."""

    def _make_program(self, blueprint: Any, operators: Any) -> Program:
        return EagerProgram(
            step=lambda *arguments: arguments[2],
            start=lambda params, inputs: start(blueprint, params, inputs),
            done=0,
            models={},
            finish=finish_phase(blueprint),
        )


@dataclass
class EagerProgram(Program):
    """The last phase of a program, run on the host; it is the only one without a model."""

    finish: Callable[..., ProgramState] | None = None

    def slices(
        self,
        inputs: ProgramInputs,
        load_windows: Callable[[tuple[int, ...]], ProgramInputs],
        budget: int | None = None,
    ) -> Iterator[ProgramState]:
        """The state after the only phase."""
        assert self.finish is not None, "given by the execution"
        state = jax.tree.map(jnp.zeros_like, jax.eval_shape(self.start, {}, inputs))
        yield self.finish({}, inputs, state)
