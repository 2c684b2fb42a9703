"""What an operator reads: all of it data, so that one compiled body serves many queries."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Bool, Int


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TokenPool:
    """The tokens of every text that prompts may hold, one flat run.

    Attributes:
        tokens: token ids.
        start: first token of each dictionary entry inside a window; one row per leading text
            (see `Slot`).
        length: number of tokens of each dictionary entry, inside a window or not.
        first: first dictionary code of each window that is loaded.
        last: one past the last code of each window.
    """

    tokens: Int[Array, " pool"]
    start: Int[Array, "leads codes"]
    length: Int[Array, "leads codes"]
    first: Int[Array, " windows"]
    last: Int[Array, " windows"]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class PromptInputs:
    """One operator's constants.

    Attributes:
        prefix_tokens: the constant prefix, padded.
        prefix_length: its number of tokens.
        constant_start: pool position of each constant part of a row.
        constant_length: number of tokens of each constant part.
        neutral_start: pool position of each calibration text, for each value of the prompt.
        neutral_length: number of tokens of each calibration text.
        known: false where a constant part of the prompt is NULL, so every answer is.
        reason_code: dictionary code of each error's text, by status.
        behind: most tokens that can follow a row's prompt in the model's context.
    """

    prefix_tokens: Int[Array, " prefix"]
    prefix_length: Int[Array, ""]
    constant_start: Int[Array, " constants"]
    constant_length: Int[Array, " constants"]
    neutral_start: Int[Array, "neutral values"]
    neutral_length: Int[Array, "neutral values"]
    known: Bool[Array, ""]
    reason_code: Int[Array, " statuses"]
    behind: Int[Array, ""]

    @property
    def nodes(self) -> int:
        """Tokens that stand behind each row's prompt in its tile."""
        return 0
