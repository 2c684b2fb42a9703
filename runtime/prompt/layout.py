"""How an operator's prompt is laid out, before any of it is tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Text:
    """A constant text in the prompt.

    Attributes:
        text: the text.
        is_markup: whether the names of control tokens in it are those tokens. Only a profile's own
            texts are: what comes from a query or a table is data.
    """

    text: str
    is_markup: bool = False


@dataclass(frozen=True)
class Slot:
    """A place in a row's part of the prompt that a value of the row fills.

    `lead` is white space that stands before the value and is tokenised with it: tokenizers of
    the GPT-2 family join a space to the word after it.
    """

    value: int
    lead: str


@dataclass(frozen=True)
class PromptLayout:
    """One operator's prompt: what all rows share, then what differs.

    Attributes:
        prefix: the text before the row's part; computed once however many rows there are.
        row: the row's part; holds at least one constant text or one value.
        labels: label texts as the model reads them.
        end: text that ends a label where one label's tokens begin another's.
        answers: label texts as SQL returns them.
        values: number each label stands for on a scale; zeros where there is none.
        neutral: content-free texts for calibration.
        strength: share of their bias taken off.
        threshold: probability from which an answer is TRUE, or a label is in the set.
        known: false where a constant part of the prompt is NULL, so that every answer is.
    """

    prefix: tuple[Text, ...]
    row: tuple[Text | Slot, ...]
    labels: tuple[str, ...]
    end: str
    answers: tuple[str, ...]
    values: tuple[float, ...]
    neutral: tuple[str, ...]
    strength: float
    threshold: float
    known: bool

    def constants(self) -> tuple[Text, ...]:
        """All constant texts, the prefix's first."""
        return (*self.prefix, *(part for part in self.row if isinstance(part, Text)))

    @property
    def leads(self) -> tuple[str, ...]:
        """The distinct leading texts of the slots, in order."""
        return tuple(dict.fromkeys(part.lead for part in self.row if isinstance(part, Slot)))
