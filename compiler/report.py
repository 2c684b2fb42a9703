"""What a run did: counts for EXPLAIN ANALYZE, and the rows that failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.operators import reasons
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.texts import RunTexts
from sqlax.compiler.written_report import WrittenReport, written_report
from sqlax.errors import RowError
from sqlax.runtime.prompt.state import PromptState, Status
from sqlax.runtime.state import ProgramState

_MOST_FAILURES = 100


@dataclass(frozen=True)
class Failure:
    """A row whose answer is NULL for a reason other than a NULL in its prompt.

    Attributes:
        function: the semantic function.
        row: the row's place among the operator's input rows, from 1.
        reason: why there is no answer.
        text: the beginning of the prompt's values.
    """

    function: str
    row: int
    reason: str
    text: str


@dataclass(frozen=True)
class OperatorReport:
    """What one semantic operator did.

    Attributes:
        name: the answer's column.
        rows: rows whose answer was wanted and no part of whose prompt was NULL.
        calls: distinct prompts put to the model.
        tokens: tokens put through the model, constant prefix and calibration included.
        reused: tokens of the prefix, and of prompts' heads, that rows did not compute again.
        failed: rows without an answer.
        failures: the first of them.
        inputs: rows that the operator was given.
        written: what its loop did; None for an operator that writes no text.
    """

    name: str
    rows: int
    calls: int
    tokens: int
    reused: int
    failed: int
    failures: tuple[Failure, ...]
    inputs: int
    written: WrittenReport | None = None


@dataclass(frozen=True)
class RunReport:
    """What a whole run did.

    Attributes:
        operators: the semantic operators in plan order.
        scanned: rows that DuckDB handed over, by scan.
        steps: morsels.
        seconds: from the first DuckDB query to the decoded result, compilation included.
        compile_seconds: spent tracing and compiling in this run.
        traces: how often this run traced a program; 0 where one was at hand.
        stages: the reports of the stages before the last one, whose work the sums include.
        outside: why DuckDB answered the query after all; None where the plan was run as placed.
    """

    operators: tuple[OperatorReport, ...]
    scanned: tuple[int, ...]
    steps: int
    seconds: float
    compile_seconds: float
    traces: int
    stages: tuple[RunReport, ...] = ()
    outside: str | None = None

    @property
    def all_operators(self) -> tuple[OperatorReport, ...]:
        """The semantic operators of every stage."""
        before = (operator for stage in self.stages for operator in stage.all_operators)
        return (*before, *self.operators)

    @property
    def calls(self) -> int:
        """Distinct prompts put to a model."""
        return sum(operator.calls for operator in self.all_operators)

    @property
    def tokens(self) -> int:
        """Tokens put through a model."""
        return sum(operator.tokens for operator in self.all_operators)

    @property
    def reused(self) -> int:
        """Prefix tokens that rows did not have to compute again."""
        return sum(operator.reused for operator in self.all_operators)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The first rows without an answer, of all operators."""
        return tuple(f for operator in self.all_operators for f in operator.failures)


class Spent(NamedTuple):
    """What compiling took."""

    traces: int
    seconds: float


def run_report(
    assembly: Assembly, state: ProgramState, texts: RunTexts, compiling: Spent, seconds: float
) -> RunReport:
    """The report of a finished run."""
    operators = zip(assembly.plan.scores, state.operators, strict=True)
    return RunReport(
        operators=tuple(
            _operator_report(assembly, texts, score, done) for score, done in operators
        ),
        scanned=tuple(assembly.columns.rows(scan) for scan in assembly.plan.scans),
        steps=int(state.steps),
        seconds=seconds,
        compile_seconds=compiling.seconds,
        traces=compiling.traces,
    )


def whole_report(stages: Sequence[RunReport], last: RunReport, seconds: float) -> RunReport:
    """The report of a query whose last stage reported `last`."""
    parts = (*stages, last)
    return replace(
        last,
        steps=sum(part.steps for part in parts),
        seconds=seconds,
        compile_seconds=sum(part.compile_seconds for part in parts),
        traces=sum(part.traces for part in parts),
        stages=tuple(stages),
    )


def _operator_report(
    assembly: Assembly, texts: RunTexts, score: Score, done: PromptState
) -> OperatorReport:
    asked = np.asarray(done.needed) & np.asarray(done.row_known)
    items = done.item_code.shape[0]
    status = np.asarray(done.status)[:items]
    called = np.isin(status, (Status.DONE, Status.NO_ANSWER))
    failing = np.flatnonzero(asked & (status[np.asarray(done.row_item)] > Status.DONE))
    return OperatorReport(
        name=score.name,
        rows=int(asked.sum()),
        calls=int(called.sum()),
        tokens=int(done.tokens),
        reused=int(done.reused),
        failed=len(failing),
        failures=tuple(_failure(assembly, texts, score, done, r) for r in failing[:_MOST_FAILURES]),
        inputs=int(np.asarray(done.relation.mask).sum()),
        written=written_report(done),
    )


def _failure(
    assembly: Assembly, run: RunTexts, score: Score, done: PromptState, row: int
) -> Failure:
    item = int(np.asarray(done.row_item)[row])
    codes = np.asarray(done.item_code)[item]
    texts = [run.of(int(code)) for code in codes]
    reason = reasons(assembly.models.of(score))[int(np.asarray(done.status)[item])]
    place = int(np.asarray(done.relation.mask)[: row + 1].sum())
    return Failure(score.call.function.value, place, reason, " | ".join(t[:60] for t in texts))


def check_errors(scores: Sequence[Score], report: RunReport, *, is_whole: bool = True) -> None:
    """Raise where a call asked for an error instead of NULL.

    Args:
        scores: the semantic operators that the report is of.
        report: what they did.
        is_whole: whether no more rows will come: a share of failures is of all rows.

    Raises:
        RowError: naming the first failing row and its reason.
    """
    for score, done in zip(scores, report.operators, strict=True):
        if not done.failed:
            continue
        first, call = done.failures[0], score.call
        where = f"row {first.row} ({first.text!r}): {first.reason}"
        if call.on_error == "raise":
            raise RowError(f"{first.function} failed on {where}")
        ratio = call.max_error_ratio
        if is_whole and ratio is not None and done.failed > ratio * done.rows:
            share = f"{done.failed} of {done.rows} rows"
            raise RowError(f"{first.function} failed on {share}, more than {ratio:g}; {where}")
