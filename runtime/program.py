"""A compiled program and the loop that drives it from the host.

The host hands over inputs, then calls one executable with a budget of morsels until the program
says it is done. Between calls it reads a few scalars only: the state stays on the device.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sqlax.models.language_model import Params
from sqlax.runtime.collection import no_collection
from sqlax.runtime.compilation import persistent_cache
from sqlax.runtime.state import ProgramInputs, ProgramState

LoadWindows = Callable[[tuple[int, ...]], ProgramInputs]
"""Gives the inputs with the windows of the token pool that hold some dictionary codes."""

_SLICE_SECONDS = 0.5
_UNBOUNDED = np.iinfo(np.int32).max


@dataclass(frozen=True)
class Progress:
    """How far a run is: morsels done, and prompts answered of those known to be wanted."""

    steps: int
    answered: int
    wanted: int


@dataclass
class Program:
    """One jitted `step` with its executables, one for each set of input shapes.

    Attributes:
        step: `step(params, inputs, state, budget) -> state`.
        start: makes the first state's shapes; called once for each set of input shapes.
        done: the phase after the last one.
        models: the parameters of each model, by name.
        traces: how often `step` has been traced.
    """

    step: Callable[[Params, ProgramInputs, ProgramState, Any], ProgramState]
    start: Callable[[Params, ProgramInputs], ProgramState]
    done: int
    models: Mapping[str, Params]
    traces: int = 0
    compile_seconds: float = 0.0
    _compiled: dict[Any, tuple[Any, Any]] = field(default_factory=dict)

    def lower(self, inputs: ProgramInputs) -> Any:
        """The program for inputs of these shapes as JAX's lowered stage."""
        state = jax.eval_shape(self.start, self.models, inputs)
        jitted = jax.jit(self.step, donate_argnums=2)
        return jitted.lower(self.models, inputs, state, np.zeros((), np.int32)), state

    def compiled(self, inputs: ProgramInputs) -> tuple[Any, Any]:
        """The executable for inputs of these shapes, and one that makes its first state."""
        leaves, tree = jax.tree.flatten(inputs)
        key = (tree, tuple((leaf.shape, str(leaf.dtype)) for leaf in leaves))
        if key not in self._compiled:
            begin = time.perf_counter()
            self.traces += 1
            with persistent_cache():
                with no_collection():
                    lowered, state = self.lower(inputs)
                self._compiled[key] = lowered.compile(), _blank(state)
            self.compile_seconds += time.perf_counter() - begin
        return self._compiled[key]

    def optimised(self) -> Iterator[str]:
        """The optimised HLO text of each executable so far."""
        return (str(executable.as_text()) for executable, _ in self._compiled.values())

    def slices(
        self,
        inputs: ProgramInputs,
        load_windows: LoadWindows,
        budget: int | None = None,
        known: Callable[[ProgramState], ProgramState] = lambda state: state,
    ) -> Iterator[ProgramState]:
        """Run, yielding the state after each slice; the last one is done.

        Args:
            inputs: what the program reads, on the device.
            load_windows: called when the program asks for other windows of the token pool.
            budget: morsels a slice; None lets a slice last about half a second.
            known: gives a state in which nothing is known what is known already.
        """
        executable, blank = self.compiled(inputs)
        state = known(blank())
        allowed, seconds = budget or 4, 0.0
        while int(state.phase) < self.done:
            if bool(state.waiting):
                inputs = load_windows(tuple(np.asarray(state.wanted).tolist()))
            begin = time.perf_counter()
            state = executable(self.models, inputs, state, np.asarray(allowed, np.int32))
            state.phase.block_until_ready()
            seconds = time.perf_counter() - begin
            yield state
            if budget is None:
                allowed = _next_allowance(allowed, seconds)


def _blank(shapes: ProgramState) -> Any:
    """An executable that makes a whole state of zeros, in place of one for each shape."""

    def zeros() -> ProgramState:
        made: ProgramState = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), shapes)
        return made

    return jax.jit(zeros).lower().compile()


def _next_allowance(allowed: int, seconds: float) -> int:
    """Morsels for a slice of about `_SLICE_SECONDS`, at most four times as many as before."""
    wanted = allowed * _SLICE_SECONDS / max(seconds, 1e-4)
    return int(min(max(1, wanted), 4 * allowed, _UNBOUNDED))


def progress_of(state: ProgramState) -> Progress:
    """How far a state is; copies a few numbers from the device."""
    answered = sum(int((np.asarray(op.status) > 0).sum()) for op in state.operators)
    left = sum(int(op.todo) - int(op.cursor) for op in state.operators)
    return Progress(int(state.steps), answered, answered + left)
