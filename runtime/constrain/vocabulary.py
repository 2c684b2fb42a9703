"""A model's tokens as bytes: what an automaton over bytes is lifted to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from sqlax.models.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The bytes of every token, and the tokens that end a text.

    Attributes:
        spelled: int16[tokens, longest], the bytes of each token; -1 behind its last.
        length: int32[tokens], its number of bytes; 0 for a token that is never part of a text:
            a control token, or one that a later token spells as well.
        ends: bool[tokens], the control tokens that end a text.
    """

    spelled: npt.NDArray[np.int16]
    length: npt.NDArray[np.int32]
    ends: npt.NDArray[np.bool_]

    @cached_property
    def digest(self) -> str:
        """A name that two vocabularies share only if they are the same."""
        content = hashlib.sha256(str(self.spelled.shape).encode())
        for array in (self.spelled, self.length, self.ends):
            content.update(array.tobytes())
        return content.hexdigest()


@lru_cache(maxsize=4)
def vocabulary_of(tokenizer: Tokenizer, ends: tuple[int, ...] | None = None) -> Vocabulary:
    """The tokenizer's vocabulary; made once for a tokenizer.

    Args:
        tokenizer: the model's.
        ends: tokens that end a text; the end of a document if not given.

    Raises:
        ModelError: the tokens' bytes are not known.
    """
    tokens = [token or b"" for token in tokenizer.token_bytes()]
    last = {token: number for number, token in enumerate(tokens)}
    ending = np.zeros(len(tokens), bool)
    ending[[tokenizer.end_of_text] if ends is None else list(ends)] = True
    usable = [not ending[n] and last[token] == n for n, token in enumerate(tokens)]
    tokens = [token if use else b"" for token, use in zip(tokens, usable, strict=True)]
    length = np.fromiter(map(len, tokens), np.int32, len(tokens))
    spelled = np.full((len(tokens), max(int(length.max()), 1)), -1, np.int16)
    spelled[np.arange(spelled.shape[1]) < length[:, None]] = np.frombuffer(b"".join(tokens), "u1")
    return Vocabulary(spelled, length, ending)
