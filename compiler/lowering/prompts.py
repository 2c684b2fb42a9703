"""From a semantic call and a model's profile to a prompt layout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from sqlglot import exp

from sqlax.compiler.plan.nodes import columns_of
from sqlax.compiler.sql.call import SemanticCall
from sqlax.compiler.sql.examples import Example
from sqlax.compiler.sql.functions import Function
from sqlax.compiler.sql.prompt import Literal, Value
from sqlax.models.profile import BARE, Layout, PromptProfile
from sqlax.runtime.prompt.layout import PromptLayout, Slot, Text
from sqlax.runtime.score.operator import Answer

Part = str | int | Text
"""A part of a prompt: a text, the number of a row's value, or markup."""

Evaluate = Callable[[str], str | None]


def answer_of(call: SemanticCall) -> Answer:
    """What the label scores of a call become."""
    if call.function is Function.IF:
        return Answer.TRUTH
    if call.function is Function.CLASSIFY:
        return Answer.LABELS if call.multi else Answer.LABEL
    return Answer.EXPECTATION if call.scale else Answer.PROBABILITY


def row_values(call: SemanticCall) -> tuple[exp.Expr, ...]:
    """The prompt's values that differ between rows, each once."""
    varying = [value for value in call.values if columns_of(value)]
    return tuple(dict.fromkeys(varying))


def lay_out(call: SemanticCall, profile: PromptProfile, evaluate: Evaluate) -> PromptLayout:
    """The prompt of a call as the model's profile wants it; exactly as written with `raw`.

    The bank, the text before the prompt and the prompt's leading constants are the prefix.

    Args:
        call: the call.
        profile: how the model wants to be asked.
        evaluate: the value of a constant SQL query; constants may read run-time parameters.
    """
    profile = BARE if call.raw else profile
    layout, labels = _layout(call, profile)
    prompt = _prompt(call, evaluate)
    texts = [part if part is not None else "" for part in prompt]
    before, after = (_around(text, layout) for text in (layout.before, layout.after))
    instruction = _instruction(call, profile)
    parts = _merged([_head(call, layout, profile), before, instruction, *texts, after])
    prefix, row = _split(parts)
    answers = _answers(call, profile)
    return PromptLayout(
        prefix=prefix,
        row=row,
        labels=labels,
        end=layout.end,
        answers=answers,
        values=tuple(float(v) for v in call.scale or [0.0] * len(labels)),
        neutral=layout.neutral if _is_calibrated(call, row) else (),
        strength=layout.strength,
        threshold=call.threshold,
        known=None not in prompt,
    )


def _layout(call: SemanticCall, profile: PromptProfile) -> tuple[Layout, tuple[str, ...]]:
    layout = profile.predicate
    if call.generation is not None and call.function is not Function.CLASSIFY:
        return profile.generate, ()
    if call.function is Function.CLASSIFY:
        layout = _with_task(profile.classify, call.task_description or profile.default_task)
    elif call.scale:
        layout = profile.scale
    labels = tuple(layout.label.replace("{label}", text) for text in _answers(call, profile))
    return layout, labels


def _with_task(layout: Layout, task: str) -> Layout:
    texts = {name: getattr(layout, name).replace("{task}", task) for name in _TASK_FIELDS}
    return replace(layout, **texts)


_TASK_FIELDS = ("bank", "before", "after")
"""`example` gets the task when it is filled in: a task may hold braces of its own."""


def _answers(call: SemanticCall, profile: PromptProfile) -> tuple[str, ...]:
    """The answers as SQL knows them; for a predicate yes comes first."""
    if call.generation is not None and call.function is not Function.CLASSIFY:
        return ()
    if call.function is Function.CLASSIFY:
        return tuple(label.text for label in call.labels)
    if call.scale:
        return tuple(str(value) for value in call.scale)
    return profile.yes, profile.no


def _head(call: SemanticCall, layout: Layout, profile: PromptProfile) -> str:
    """The user's examples, then the profile's bank, then what labels mean."""
    bank = "".join(_example(call, e, layout, profile) for e in call.examples) + layout.bank
    described = [label for label in call.labels if label.description]
    return bank + "".join(f"{label.text}: {label.description}\n" for label in described)


def _example(call: SemanticCall, example: Example, layout: Layout, profile: PromptProfile) -> str:
    """One solved example: the prompt with the example's values, then its answer."""
    values = iter(example.parts)
    prompt = "".join(p.text if isinstance(p, Literal) else next(values, "") for p in call.prompt)
    answer = {"yes": profile.yes, "no": profile.no}.get(example.answer, example.answer)
    label = layout.label.replace("{label}", answer)
    task = call.task_description or profile.default_task
    before, _, rest = layout.example.partition("{prompt}")
    between, _, end = rest.partition("{answer}")
    texts = [text.replace("{task}", task) for text in (before, between, end)]
    return texts[0] + prompt + texts[1] + label + texts[2]


def _prompt(call: SemanticCall, evaluate: Evaluate) -> list[Part | None]:
    """The prompt's parts, constants by their value; None for a constant that is NULL."""
    order = row_values(call)
    return [_part(part, order, evaluate) for part in call.prompt]


def _part(part: Literal | Value, order: tuple[exp.Expr, ...], evaluate: Evaluate) -> Part | None:
    if isinstance(part, Literal):
        return part.text
    if part.expression in order:
        return order.index(part.expression)
    return evaluate(f"SELECT CAST({part.expression.sql('duckdb')} AS VARCHAR)")


def _is_calibrated(call: SemanticCall, row: tuple[Text | Slot, ...]) -> bool:
    """Whether labels are scored after neutral texts too: a written answer has no scores."""
    return call.generation is None and any(isinstance(part, Slot) for part in row)


def _instruction(call: SemanticCall, profile: PromptProfile) -> str:
    """What a function tells the model to do with its text; the user's own words elsewhere."""
    told = {
        Function.SUMMARIZE: profile.summarize,
        Function.SUMMARIZE_AGG: profile.summarize_agg,
        Function.TRANSLATE: profile.translate,
        Function.EXTRACT: profile.extract,
    }
    return told.get(call.function, "").replace("{subject}", call.subject or "")


def _around(text: str, layout: Layout) -> Part:
    return Text(text, is_markup=True) if layout.is_markup and text else text


def _merged(parts: list[Part]) -> list[Part]:
    """Adjacent texts joined, empty ones dropped."""
    merged: list[Part] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return merged


def _split(parts: list[Part]) -> tuple[tuple[Text, ...], tuple[Text | Slot, ...]]:
    """Constants before the first value, and the row's part.

    Spaces that end a text before a value are tokenised with the value. A prompt without values
    keeps its last text in the row.
    """
    first = next((i for i, part in enumerate(parts) if isinstance(part, int)), None)
    if first is None:
        first = max(0, len(parts) - 1)
    prefix, rest = list(parts[:first]), list(parts[first:])
    row: list[Text | Slot] = []
    lead = _take_spaces(prefix)
    for place, part in enumerate(rest):
        if isinstance(part, int):
            row.append(Slot(part, lead))
            lead = ""
        elif isinstance(part, str):
            before_value = place + 1 < len(rest) and isinstance(rest[place + 1], int)
            text = part.rstrip(" ") if before_value else part
            lead = part[len(text) :]
            row += [Text(text)] if text else []
        else:
            row.append(part)
    return tuple(Text(p) if isinstance(p, str) else p for p in prefix if _is_text(p)), tuple(row)


def _is_text(part: Part) -> TypeGuard[str | Text]:
    return isinstance(part, Text) or (isinstance(part, str) and part != "")


def _take_spaces(prefix: list[Part]) -> str:
    """Remove the spaces that end the prefix, and return them."""
    if not prefix or not isinstance(prefix[-1], str):
        return ""
    text = prefix[-1].rstrip(" ")
    lead = prefix[-1][len(text) :]
    prefix[-1] = text
    return lead
