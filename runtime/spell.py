"""Generated tokens as text, on the host."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.arrow import HostArray
from sqlax.runtime.text.token_bytes import BLANKS


def spelled(tokens: HostArray, length: HostArray, tokenizer: Tokenizer) -> pa.Array:
    """The texts of token rows [texts, most_tokens], as VARCHAR.

    ASCII blanks at either end are no part of an answer. An automaton has seen to it that the bytes
    are UTF-8; what a broken text holds beside is left out.
    """
    pieces = tokenizer.token_bytes()
    return pa.array(
        [_text(row[:count].tolist(), pieces) for row, count in zip(tokens, length, strict=True)],
        pa.string(),
    )


def _text(tokens: Sequence[int], pieces: Sequence[bytes | None]) -> str:
    spelled = b"".join(pieces[token] or b"" for token in tokens)
    return spelled.strip(BLANKS).decode(errors="ignore")
