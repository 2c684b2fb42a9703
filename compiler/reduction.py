"""Running a reduction: texts of each list in windows, windows answered, their answers again."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from sqlax.compiler.lowering.prompts import lay_out
from sqlax.compiler.outcome import OnProgress, Outcome, as_loaded
from sqlax.compiler.plan.nodes import Score
from sqlax.compiler.report import RunReport, whole_report
from sqlax.compiler.stage import Reduction
from sqlax.compiler.streaming.run import run_divided
from sqlax.runtime.prompt.layout import Text

if TYPE_CHECKING:
    from sqlax.compiler.execution import Execution
    from sqlax.models.language_model import LanguageModel

SEPARATOR = "\n"
"""Stands between the texts of a window."""

Texts: TypeAlias = list[str]
Answer: TypeAlias = tuple[str | None, str | None]
"""An answer, or the reason why there is none."""


@dataclass
class _Lists:
    """The lists by number: what is left of those that have no answer yet, and the answers."""

    open: dict[int, Texts]
    answers: dict[int, Answer] = field(default_factory=dict)

    def settle(self, number: int, answers: Sequence[Answer]) -> None:
        """A list's windows are answered: it has its answer, or another level before it."""
        failed = next((answer for answer in answers if answer[0] is None), None)
        if failed is not None or len(answers) == 1:
            self.answers[number] = failed or answers[0]
            del self.open[number]
        else:
            self.open[number] = [text for text, _ in answers if text is not None]


def run_reduction(part: Execution, stage: Reduction, on_progress: OnProgress | None) -> Outcome:
    """The rows of a reduction: each list, its answer, and the reason where it has none.

    Args:
        part: runs one level.
        stage: the reduction.
        on_progress: told after each slice.
    """
    begin, part = time.perf_counter(), replace(part, resident=None)
    lists = _read(part, stage)
    numbered = {n: _ordered(texts, stage) for n, texts in enumerate(lists)}
    work = _Lists({n: texts for n, texts in numbered.items() if texts})
    cutter = _Cutter.of(part, stage)
    reports: list[RunReport] = []
    while work.open:
        outcome = _run_level(part, stage, work, cutter.cut(work.open, len(reports)), on_progress)
        reports.append(outcome.report)
    answers = [work.answers.get(n, (None, None)) for n in numbered]
    rows = _table(lists, answers)
    loaded = as_loaded(rows, part.plan.outputs, time.perf_counter() - begin)
    if not reports:
        return loaded
    report = whole_report(reports[:-1], reports[-1], loaded.report.seconds)
    return replace(loaded, report=report)


def _read(part: Execution, stage: Reduction) -> list[tuple[str | None, ...]]:
    """The distinct lists, in the order of their first rows."""
    level = replace(part.plan, placed=stage.lists)
    (column,) = replace(part, plan=level).load()[stage.lists].columns
    return [*dict.fromkeys(tuple(texts) for texts in column.to_pylist() if texts is not None)]


def _ordered(texts: Sequence[str | None], stage: Reduction) -> Texts:
    known = [text for text in texts if text is not None]
    return known if stage.is_ordered else sorted(known)


def _table(lists: Sequence[tuple[str | None, ...]], answers: Sequence[Answer]) -> pa.Table:
    columns = {
        "c0": pa.array([[*texts] for texts in lists], pa.list_(pa.string())),
        "c1": pa.array([value for value, _ in answers], pa.string()),
        "c2": pa.array([error for _, error in answers], pa.string()),
    }
    return pa.table(columns)


Windows: TypeAlias = list[tuple[int, str]]
"""The number of a list, and some of its texts as one; a list's windows follow each other."""


def _run_level(
    part: Execution,
    stage: Reduction,
    work: _Lists,
    windows: Windows,
    on_progress: OnProgress | None,
) -> Outcome:
    """Answer all windows, and go on with their lists."""
    connection = part.plan.catalog.connection
    texts = [text for _, text in windows]
    numbers = pa.array(range(len(texts)), pa.int64())
    connection.register(stage.windows, pa.table({"c0": numbers, "c1": pa.array(texts)}))
    try:
        outcome = run_divided(part, on_progress)
    finally:
        connection.unregister(stage.windows)
    number, _, value, error = (column.to_pylist() for column in outcome.table.columns)
    said = dict(zip(number, zip(value, error, strict=True), strict=True))
    by_list: dict[int, list[Answer]] = {}
    for place, (owner, _) in enumerate(windows):
        by_list.setdefault(owner, []).append(said[place])
    for owner, answers in by_list.items():
        work.settle(owner, answers)
    return outcome


@dataclass(frozen=True)
class _Cutter:
    """Cuts texts into windows.

    Attributes:
        model: whose tokens count.
        room: most tokens of a window.
    """

    model: LanguageModel
    room: int

    @classmethod
    def of(cls, part: Execution, stage: Reduction) -> _Cutter:
        """What the context has left beside the prompt's constants and the answer."""
        assert isinstance(stage.plan, Score)
        call, model = stage.plan.call, part.models.of(stage.plan)
        assert call.generation is not None

        def evaluate(sql: str) -> str | None:
            ((value,),) = part.plan.catalog.rows(sql)
            return None if value is None else str(value)

        layout = lay_out(call, model.profile, evaluate)
        texts = [p.text for p in (*layout.prefix, *layout.row) if isinstance(p, Text)]
        used = sum(len(model.tokenizer.encode(text)) for text in texts)
        return cls(model, model.context_length - used - call.generation.max_tokens)

    def cut(self, lists: dict[int, Texts], level: int) -> Windows:
        """The windows of every list; behind the first level they hold two texts at least."""
        return [
            (number, SEPARATOR.join(texts[begin:end]))
            for number, texts in lists.items()
            for begin, end in pairwise(self._ends(texts, 1 if level == 0 else 2))
        ]

    def _ends(self, texts: Texts, least: int) -> Iterator[int]:
        """Where windows begin, and the end of the last one."""
        _, lengths = self.model.tokenizer.encode_batch(texts)
        yield 0
        begin, taken = 0, 0
        for place, length in enumerate(lengths.tolist()):
            if place - begin >= least and taken + length > self.room:
                yield place
                begin, taken = place, 0
            taken += length + 1
        yield len(texts)
