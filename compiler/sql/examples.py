"""Labels, scales and examples: what the answers of a call may be, and answers given beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.constants import (
    Number,
    fields_of,
    read_items,
    read_number,
    read_text,
)
from sqlax.compiler.sql.functions import Function
from sqlax.compiler.sql.prompt import unwrap

if TYPE_CHECKING:
    from sqlax.compiler.sql.place import Place


@dataclass(frozen=True)
class Label:
    """One category, and what it means if the user says so."""

    text: str
    description: str | None = None


@dataclass(frozen=True)
class Example:
    """An answered case: a text for each value of the prompt (or one for all), and the answer."""

    parts: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class Answers:
    """What a function may answer: the rules that an example's answer has to keep."""

    function: Function
    labels: tuple[Label, ...] = ()
    multi: bool = False
    scale: tuple[Number, ...] | None = None


YES: Final = "yes"
NO: Final = "no"

_WORDS: Final = {"yes": YES, "true": YES, "1": YES, "no": NO, "false": NO, "0": NO}
_INPUT_FIELDS: Final = ("input", "inputs", "text")
_ANSWER_FIELDS: Final = ("output", "answer", "label", "labels", "score")
_MOST_SCALE_LABELS: Final = 101


def read_labels(node: exp.Expr, place: Place) -> tuple[Label, ...]:
    """Labels from `['a', ('b', 'what b means'), {'label': 'c', 'description': '..'}]`.

    Raises:
        BindError: no label, a label twice, or one that is not a constant text.
    """
    labels: dict[str, Label] = {}
    for item in read_items(node, place, "categories"):
        label = _label(item, place)
        if not label.text.strip():
            raise place.of(item).error("a category cannot be blank")
        if label.text in labels:
            raise place.of(item).error(f"the category '{label.text}' is given twice")
        labels[label.text] = label
    if not labels:
        raise place.error(
            "categories is empty: give at least one, such as ['positive', 'negative']"
        )
    return tuple(labels.values())


def read_scale(node: exp.Expr, place: Place) -> tuple[Number, ...]:
    """The labels of a scale: `[1, 5]` is every integer from 1 to 5, more numbers are as given.

    Raises:
        BindError: fewer than two numbers, not ascending, or too many.
    """
    numbers = [read_number(item, place, "scale") for item in read_items(node, place, "scale")]
    if len(numbers) < 2 or any(a >= b for a, b in pairwise(numbers)):
        raise place.error("scale must be two or more ascending numbers, such as [1, 5]")
    low, high = numbers[0], numbers[-1]
    between = len(numbers) == 2 and isinstance(low, int) and isinstance(high, int)
    if (between and high - low >= _MOST_SCALE_LABELS) or len(numbers) > _MOST_SCALE_LABELS:
        raise place.error(f"scale has more than {_MOST_SCALE_LABELS} labels")
    return tuple(range(int(low), int(high) + 1)) if between else tuple(numbers)


def read_examples(
    node: exp.Expr, place: Place, answers: Answers, values: int
) -> tuple[Example, ...]:
    """Examples from `[('text', TRUE), {'input': 'text', 'output': 'positive'}]`.

    Args:
        node: the list.
        place: where errors point.
        answers: what the function may answer.
        values: how many values the prompt has; an example gives a text for each, or one.

    Raises:
        BindError: an example without text or answer, or an answer the function cannot give.
    """
    return tuple(
        _example(item, place, answers, values) for item in read_items(node, place, "examples")
    )


def _label(item: exp.Expr, place: Place) -> Label:
    fields = fields_of(item)
    if fields is not None:
        unknown = next((name for name in fields if name not in ("label", "description")), None)
        if unknown is not None or "label" not in fields:
            raise place.of(item).error("a category is {'label': .., 'description': ..}")
        pair = [fields["label"], *([fields["description"]] if "description" in fields else [])]
    else:
        is_pair = isinstance(unwrap(item), exp.Tuple | exp.Struct)
        pair = read_items(item, place, "a category") if is_pair else [item]
    if len(pair) > 2:
        raise place.of(item).error("a category is a label, or a label and a description")
    texts = [read_text(part, place, "a category") for part in pair]
    return Label(*texts)


def _example(item: exp.Expr, place: Place, answers: Answers, values: int) -> Example:
    here = place.of(item)
    inputs, answer = _input_and_answer(item, place)
    parts = tuple(read_text(part, here, "an example's input") for part in inputs)
    if len(parts) not in (1, values):
        raise here.error(f"an example gives 1 text or {values}, one for each value of the prompt")
    return Example(parts, _answer(answer, here, answers))


def _input_and_answer(item: exp.Expr, place: Place) -> tuple[list[exp.Expr], exp.Expr]:
    fields = fields_of(item)
    if fields is None:
        parts = read_items(item, place, "an example")
        if len(parts) < 2:
            raise place.of(item).error("an example is its input and its answer: ('text', TRUE)")
        return parts[:-1], parts[-1]
    given = next((fields[name] for name in _INPUT_FIELDS if name in fields), None)
    answer = next((fields[name] for name in _ANSWER_FIELDS if name in fields), None)
    if given is None or answer is None:
        raise place.of(item).error("an example is {'input': 'text', 'output': ..}")
    is_list = isinstance(unwrap(given), exp.Array | exp.Tuple)
    return (read_items(given, place, "input") if is_list else [given]), answer


def _answer(node: exp.Expr, place: Place, answers: Answers) -> str:
    if answers.function is Function.CLASSIFY:
        return _label_answer(node, place, answers)
    if answers.scale is not None:
        value = read_number(node, place, "an example's score")
        if value not in answers.scale:
            low, high = answers.scale[0], answers.scale[-1]
            raise place.of(node).error(f"{value} is not on the scale from {low} to {high}")
        return str(next(label for label in answers.scale if label == value))
    word = _WORDS.get(_word(unwrap(node)))
    if word is None:
        raise place.of(node).error("an example's answer must be TRUE or FALSE, 'yes' or 'no'")
    return word


def _label_answer(node: exp.Expr, place: Place, answers: Answers) -> str:
    is_list = isinstance(unwrap(node), exp.Array | exp.Tuple)
    items = read_items(node, place, "an example's answer") if is_list else [node]
    texts = [read_text(item, place, "an example's answer") for item in items]
    known = [label.text for label in answers.labels]
    stray = next((text for text in texts if text not in known), None)
    if stray is not None:
        raise place.of(node).error(f"'{stray}' is not among the categories {', '.join(known)}")
    if len(texts) != 1 and not answers.multi:
        raise place.of(node).error("one category for each example, unless output_mode => 'multi'")
    return ", ".join(texts)


def _word(node: exp.Expr) -> str:
    if isinstance(node, exp.Boolean):
        return str(node.this).lower()
    return str(node.this).strip().lower() if isinstance(node, exp.Literal) else ""
