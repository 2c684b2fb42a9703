"""What one run of a program leaves to the next: loaded inputs, and answers of the model.

Answers are kept by item. The item of a prompt with one value is the value's number in the
dictionary, so that another run with the same dictionary finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.prompts import row_values
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.report import OperatorReport, RunReport
from sqlax.runtime.prompt.state import PromptState
from sqlax.runtime.state import ProgramInputs, ProgramState


@dataclass(frozen=True)
class Left:
    """What a run has left; its state is spent once another run has begun with it.

    Attributes:
        assembly: what was loaded.
        inputs: the same on the device.
        state: the last one.
    """

    assembly: Assembly
    inputs: ProgramInputs
    state: ProgramState


def following_inputs(assembly: Assembly, earlier: Left | None) -> ProgramInputs:
    """The inputs of a run; what an earlier one has in common with it is not loaded again."""
    if earlier is None or not _shares_dictionary(assembly, earlier):
        return assembly.inputs()
    return assembly.inputs_after(earlier.inputs)


def following_answers(
    assembly: Assembly, earlier: Left | None
) -> Callable[[ProgramState], ProgramState]:
    """What gives an empty state the answers of an earlier run."""

    def begin(state: ProgramState) -> ProgramState:
        if earlier is None or not _shares_dictionary(assembly, earlier):
            return state
        triples = zip(assembly.plan.scores, state.operators, earlier.state.operators, strict=True)
        return replace(state, operators=tuple(_begun(*triple) for triple in triples))

    return begin


def since(
    report: RunReport, before: RunReport | None, left: Left, earlier: Left | None
) -> RunReport:
    """The report of a run without what an earlier one had counted already.

    Args:
        report: of the run, which goes on counting where answers were kept.
        before: of the run before it.
        left: by the run.
        earlier: left by the run before it.
    """
    if before is None or earlier is None or not _shares_dictionary(left.assembly, earlier):
        return report
    triples = zip(left.assembly.plan.scores, report.operators, before.operators, strict=True)
    return replace(report, operators=tuple(_since(*triple) for triple in triples))


def _since(score: Score, now: OperatorReport, before: OperatorReport) -> OperatorReport:
    if not keeps_answers(score):
        return now
    return replace(
        now,
        calls=now.calls - before.calls,
        tokens=now.tokens - before.tokens,
        reused=now.reused - before.reused,
    )


def _shares_dictionary(assembly: Assembly, earlier: Left) -> bool:
    return assembly.dictionary is earlier.assembly.dictionary


def keeps_answers(score: Score) -> bool:
    """Whether an item means the same in every run with one dictionary."""
    return len(row_values(score.call)) <= 1


def _begun(score: Score, empty: PromptState, old: PromptState) -> PromptState:
    if not keeps_answers(score):
        return empty
    return empty.after(old)
