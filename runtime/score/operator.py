"""The static side of a score operator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum, auto

from sqlax.runtime.prompt.operator import PromptOperator


class Answer(StrEnum):
    """What an operator's label scores become."""

    TRUTH = auto()
    """BOOLEAN: the first label's probability reaches the threshold."""
    PROBABILITY = auto()
    """DOUBLE: the first label's probability."""
    EXPECTATION = auto()
    """DOUBLE: the mean of the labels' values."""
    LABEL = auto()
    """VARCHAR: the most probable label."""
    LABELS = auto()
    """VARCHAR[]: every label whose probability reaches the threshold, or else the best one."""


@dataclass(frozen=True)
class ScoreOperator(PromptOperator):
    """Shapes and static choices of one score operator.

    Attributes:
        answer: what the label scores become.
    """

    answer: Answer
