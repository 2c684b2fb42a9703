"""Text to tokens and back, with data kept apart from control tokens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Tokenizer(Protocol):
    """Turns text into token ids. Text is data: none of it ever becomes a control token."""

    def __hash__(self) -> int:
        """What is made from a tokenizer is kept by the tokenizer."""
        ...

    @property
    def vocabulary_size(self) -> int:
        """Number of token ids, control tokens included."""
        ...

    @property
    def end_of_text(self) -> int:
        """The token that ends a document."""
        ...

    def encode(self, text: str) -> list[int]:
        """The tokens of `text`; chat-template markers inside it are spelled out as characters."""
        ...

    def encode_batch(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """All tokens of all texts in one flat array, and the number of tokens of each text."""
        ...

    def control(self, name: str) -> int:
        """The id of a control token such as `<|im_start|>`; KeyError names those that exist."""
        ...

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, control tokens left out."""
        ...

    def token_bytes(self) -> list[bytes | None]:
        """The bytes that each token id stands for; None for control tokens and unused ids."""
        ...
