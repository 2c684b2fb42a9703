"""The bytes of a model's tokens, as arrays of the device."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache

import jax
import numpy as np
import numpy.typing as npt
from jaxtyping import Array, Int, UInt8

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like

BLANKS = b" \t\n\r\f\v"
"""What is no part of a generated text at either end."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True, eq=False)
class TokenBytes:
    """What each token of a vocabulary spells; all int32 beside `content`.

    Attributes:
        content: the bytes of all tokens, one behind the other.
        start: first byte of each token.
        length: number of bytes of each token; 0 for control tokens and unused ids.
        leading: blanks that a token begins with; all its bytes where they are all blank.
        trailing: blanks that a token ends with; all its bytes where they are all blank.
        characters: bytes of each token that begin a character in UTF-8.
    """

    content: UInt8[Array, " content"]
    start: Int[Array, " vocabulary"]
    length: Int[Array, " vocabulary"]
    leading: Int[Array, " vocabulary"]
    trailing: Int[Array, " vocabulary"]
    characters: Int[Array, " vocabulary"]

    @classmethod
    def of(cls, pieces: Sequence[bytes | None]) -> TokenBytes:
        """What each token id stands for, None for no bytes, in NumPy arrays.

        Cost: one pass over the vocabulary in Python.
        """
        tokens = [piece or b"" for piece in pieces]
        length = _lengths(tokens)
        # One byte at least: nothing can be gathered from an empty array.
        flat = np.frombuffer(b"".join(tokens) or b"\0", np.uint8)
        return cls(
            content=device_like(flat, np.uint8),
            start=device_like(np.cumsum(length) - length, np.int32),
            length=device_like(length, np.int32),
            leading=device_like(length - _lengths([t.lstrip(BLANKS) for t in tokens]), np.int32),
            trailing=device_like(length - _lengths([t.rstrip(BLANKS) for t in tokens]), np.int32),
            characters=device_like([*map(_characters, tokens)], np.int32),
        )


@lru_cache(maxsize=4)
def token_bytes_of(tokenizer: Tokenizer) -> TokenBytes:
    """The bytes of a tokenizer's tokens, in NumPy arrays; made once for a tokenizer."""
    return TokenBytes.of(tokenizer.token_bytes())


def _lengths(tokens: list[bytes]) -> npt.NDArray[np.int32]:
    return np.fromiter(map(len, tokens), np.int32, len(tokens))


def _characters(token: bytes) -> int:
    """Bytes that are no continuation of a character."""
    return sum(byte & 0xC0 != 0x80 for byte in token)
