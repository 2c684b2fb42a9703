"""What one run of a program leaves to the next: loaded inputs, and answers of the model.

Answers are kept by item. The item of a prompt with one value is the value's number in the
dictionary, so that another run with the same dictionary finds them. Texts that a model writes are
numbered within a run: they, and what was asked about them, are kept where the rows are the same,
as when a join needs more room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.prompts import row_values
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.plan.schema import Kind
from sqlax.compiler.report import OperatorReport, RunReport
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
        if earlier is None or not _shares_items(assembly, earlier):
            return state
        same_rows = assembly.tables is earlier.assembly.tables
        triples = zip(assembly.plan.scores, state.operators, earlier.state.operators, strict=True)
        operators = (
            empty.after(old) if keeps_answers(score, same_rows=same_rows) else empty
            for score, empty, old in triples
        )
        return replace(state, operators=tuple(operators))

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
    if before is None or earlier is None or not _shares_items(left.assembly, earlier):
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


def _shares_items(assembly: Assembly, earlier: Left) -> bool:
    """Whether text ids mean the same: a join below a writing operator moves those behind it."""
    return _shares_dictionary(assembly, earlier) and _ids(assembly) == _ids(earlier.assembly)


def _ids(assembly: Assembly) -> list[int]:
    slots = assembly.capacities
    return [*map(slots.first_id, assembly.plan.scores), slots.ids]


def keeps_answers(score: Score, *, same_rows: bool = False) -> bool:
    """Whether an item means the same in another run with the same dictionary.

    Args:
        score: the operator.
        same_rows: whether the other run is over the same rows too.
    """
    writers = _writers(score)
    one_value = len(row_values(score.call)) <= 1
    writes = score.call.generation is not None or bool(writers)
    known = all(keeps_answers(writer, same_rows=same_rows) for writer in writers)
    return one_value and known and (same_rows or not writes)


def _writers(score: Score) -> list[Score]:
    """The operators below whose texts a prompt may read."""
    schema = score.input.schema
    if not any(schema[value.name].kind is Kind.WRITTEN for value in row_values(score.call)):
        return []
    below = (node for node in score.input.walk() if isinstance(node, Score))
    return [node for node in below if node.call.generation is not None]
