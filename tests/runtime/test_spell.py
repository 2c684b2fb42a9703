"""Generated tokens as text on the host, as the graph reads them."""

from __future__ import annotations

import jax
import numpy as np

from sqlax.models.fake import ByteTokenizer
from sqlax.runtime.spell import spelled as spelled_on_host
from sqlax.runtime.text.spelled import spelled, text_length
from sqlax.runtime.text.token_bytes import token_bytes_of

TEXTS = [" \t\n\r\f\va b\v\f\r\n\t ", "\u00a0a\u2003", "\x1ca\x1f\x85", "", "  ", "\0 ", "日 é"]
KEPT = ["a b", "\u00a0a\u2003", "\x1ca\x1f\x85", "", "", "\0", "日 é"]


def test_only_ascii_blanks_are_cut_off() -> None:
    tokenizer = ByteTokenizer()
    cut = [tokenizer.encode(text) for text in TEXTS]
    length = np.asarray([*map(len, cut)], np.int32)
    tokens = np.zeros((len(cut), 32), np.int32)
    for row, own in zip(tokens, cut, strict=True):
        row[: len(own)] = own
    assert spelled_on_host(tokens, length, tokenizer).to_pylist() == KEPT
    with jax.enable_x64(True):
        texts = jax.jit(spelled)(*jax.device_put((tokens, length, token_bytes_of(tokenizer))))
        assert texts.length.tolist() == [len(text.encode()) for text in KEPT]
        assert text_length(texts).tolist() == [*map(len, KEPT)]
