"""What is asked of a peer: texts to write, or labels to choose, for the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sqlax.models.tokenizer import Tokenizer


@dataclass(frozen=True)
class Question:
    """One question, put to every row: a text of exactly so many tokens, or one of the labels.

    Attributes:
        before: what stands before a row's text.
        behind: what stands behind it.
        labels: to choose from; none where a text is to be written.
        tokens: how many to write for each row; 0 where a label is to be chosen.
    """

    before: str
    behind: str
    labels: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True)
class Task:
    """A question over rows, as text and as token ids: a peer takes what it can read.

    Attributes:
        model: the file of the weights.
        sql: the query that sqlax is timed on, over the table `snippets` of `id` and `text`.
        question: what it asks.
        texts: the rows.
        prompts: the question over each row, as token ids.
        label_ids: the token of each label.
    """

    model: str
    sql: str
    question: Question
    texts: tuple[str, ...]
    prompts: tuple[list[int], ...]
    label_ids: tuple[int, ...]

    @property
    def kind(self) -> str:
        """`label` or `write`."""
        return "label" if self.question.labels else "write"

    def first(self, rows: int) -> Task:
        """The same task over the first rows only."""
        return replace(self, texts=self.texts[:rows], prompts=self.prompts[:rows])

    def fields(self) -> dict[str, Any]:
        """As JSON holds it, in one level."""
        fields = asdict(self)
        return {**fields, **fields.pop("question"), "kind": self.kind}


@dataclass(frozen=True)
class Rivals:
    """Which peers take part.

    Attributes:
        file: the model's weights, for all of them.
        names: the only systems that take part; all where there are none.
    """

    file: Path
    names: tuple[str, ...] = ()


def task_of(
    question: Question, sql: str, texts: Sequence[str], file: Path, tokenizer: Tokenizer
) -> Task:
    """The task of a question over rows.

    Args:
        question: what is asked.
        sql: the query that asks it of the table `snippets`.
        texts: the rows.
        file: the model's weights.
        tokenizer: the model's.

    Raises:
        ValueError: the tokenizer reads a label as several tokens, which peers do not compare.
    """
    labels = [tokenizer.encode(label) for label in question.labels]
    for label, tokens in zip(question.labels, labels, strict=True):
        if len(tokens) != 1:
            raise ValueError(f"peers need labels of one token; {label!r} has {len(tokens)}")
    prompts = tuple(tokenizer.encode(f"{question.before}{t}{question.behind}") for t in texts)
    ids = tuple(tokens[0] for tokens in labels)
    return Task(str(file), sql, question, tuple(texts), prompts, ids)
