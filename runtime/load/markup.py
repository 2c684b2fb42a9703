"""Constant texts as tokens, the control tokens of a profile's own texts among them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.prompt.layout import Text

_CONTROL: Final = re.compile(r"(<\|[^|<>]*\|>)")
_ENDS: Final = ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "</s>", "<end_of_turn>")
"""Control tokens that end a turn or a document, in the spellings of several families."""


def end_tokens(tokenizer: Tokenizer) -> tuple[int, ...]:
    """The tokens that end a text: that of a document, and those of a turn that the model has."""
    ends = {tokenizer.end_of_text}
    for name in _ENDS:
        with suppress(KeyError):
            ends.add(tokenizer.control(name))
    return tuple(sorted(ends))


def tokens_of(texts: Iterable[Text], tokenizer: Tokenizer) -> list[int]:
    """The tokens of constant texts, one after another.

    Raises:
        KeyError: a profile names a control token that the model does not have.
    """
    return [token for text in texts for token in _tokens(text, tokenizer)]


def _tokens(text: Text, tokenizer: Tokenizer) -> list[int]:
    if not text.is_markup:
        return tokenizer.encode(text.text)
    made: list[int] = []
    for piece in filter(None, _CONTROL.split(text.text)):
        is_control = _CONTROL.fullmatch(piece) is not None
        made += [tokenizer.control(piece)] if is_control else tokenizer.encode(piece)
    return made
