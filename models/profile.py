"""Prompt profiles: how a model wants to be asked, as data.

A profile never looks at the rows of a query. Its few-shot bank stands in the constant prefix, so
it is computed once however many rows there are; its calibration depends on the prompt alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """How one kind of question is laid out around the user's prompt.

    The model reads ``bank + before + PROMPT + after`` and is asked for one of the labels.
    User `examples` stand before the bank: each is written as `example` with ``{prompt}`` and
    ``{answer}`` filled in.

    Attributes:
        bank: constant text before everything else: the profile's own solved examples.
        before: text directly before the prompt.
        after: text directly after the prompt; the label comes next.
        example: one solved example; `{prompt}` and `{answer}` are filled in.
        label: how a label is written; `{label}` is filled in, e.g. " {label}".
        neutral: content-free texts that take the place of the row's data when calibrating;
            empty for no calibration.
        strength: share of the neutral texts' label bias that is taken off, 0 to 1.
        end: text that ends a label, used only where one label is a prefix of another.
        is_markup: whether `before` and `after` name control tokens, such as `<|im_start|>`.
    """

    bank: str = ""
    before: str = ""
    after: str = ""
    example: str = "{prompt}{answer}\n"
    label: str = "{label}"
    neutral: tuple[str, ...] = ()
    strength: float = 1.0
    end: str = "\n"
    is_markup: bool = False


@dataclass(frozen=True)
class PromptProfile:
    """The layouts of one model.

    Attributes:
        predicate: layout of AI_IF and of AI_SCORE without a scale.
        yes: label that means TRUE.
        no: label that means FALSE.
        classify: layout of AI_CLASSIFY; `{task}` in it is the task description.
        default_task: the task description where the user gives none.
        scale: layout of AI_SCORE with a scale.
        generate: layout of functions whose answer is written token by token.
        summarize: the instruction before the text of AI_SUMMARIZE.
        summarize_agg: that of AI_SUMMARIZE_AGG, before all texts of a group.
        translate: that of AI_TRANSLATE; `{subject}` is the language.
        extract: that of AI_EXTRACT; `{subject}` names the fields.
    """

    predicate: Layout = Layout()
    yes: str = "yes"
    no: str = "no"
    classify: Layout = Layout()
    default_task: str = "Category"
    scale: Layout = Layout()
    generate: Layout = Layout()
    summarize: str = "Summarize the following text in one sentence:\n\n"
    summarize_agg: str = "Summarize the following texts in one paragraph:\n\n"
    translate: str = "Translate the following text into {subject}:\n\n"
    extract: str = (
        "Read the following text and answer as JSON with these fields, null where it does not "
        "say: {subject}\n\n"
    )


BARE = PromptProfile()
"""The prompt as written, labels as written: no bank, no calibration."""
