"""Byte-pair encoding on the `tokenizers` library, with control tokens out of the text's reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding
from tokenizers import Tokenizer as Backend

from sqlax.errors import DataError, ModelError
from sqlax.models.tokenizers.spelling import spelled_bytes

CHUNK_TEXTS = 4096
"""Texts encoded at a time: bounds the memory of the library's encodings, about 1 kB a token."""

DOCUMENT_ENDS = ("<|endoftext|>", "<|end_of_text|>", "</s>")
"""Control tokens that stand between documents in training, the usual ones first."""


class BytePairTokenizer:
    """A `Tokenizer` whose backend does not know the control tokens at all.

    They are no part of the backend's vocabulary, so that no text can ever be encoded into one;
    they are found by name, and left out of decoded text.
    """

    def __init__(self, backend: Backend, controls: Mapping[str, int], end: int | None) -> None:
        """Wraps a backend.

        Args:
            backend: encodes text as it stands: no control tokens, no post-processor.
            controls: id of each control token by name.
            end: the model's end token, for vocabularies without one of the usual names.
        """
        self._backend = backend
        self._controls = dict(controls)
        self._end = next((controls[name] for name in DOCUMENT_ENDS if name in controls), end)
        ids = chain(backend.get_vocab(with_added_tokens=True).values(), controls.values())
        self._vocabulary_size = max(ids) + 1

    @property
    def vocabulary_size(self) -> int:
        """Number of token ids, control tokens included."""
        return self._vocabulary_size

    @property
    def end_of_text(self) -> int:
        """The token that ends a document."""
        if self._end is None:
            raise ModelError(
                f"the tokenizer has no end token; its control tokens are {self._names()}"
            )
        return self._end

    def encode(self, text: str) -> list[int]:
        """The tokens of `text`; chat-template markers inside it are spelled out as characters."""
        return self._encode([text], 0)[0].ids

    def encode_batch(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """All tokens of all texts in one flat array, and the number of tokens of each text."""
        tokens, lengths = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for start in range(0, len(texts), CHUNK_TEXTS):
            encodings = self._encode(list(texts[start : start + CHUNK_TEXTS]), start)
            ids = [encoding.ids for encoding in encodings]
            lengths.append(np.fromiter(map(len, ids), np.int32, len(ids)))
            flat = np.fromiter(chain.from_iterable(ids), np.int32, int(lengths[-1].sum()))
            tokens.append(flat)
        return np.concatenate(tokens), np.concatenate(lengths)

    def control(self, name: str) -> int:
        """The id of a control token such as `<|im_start|>`; KeyError names those that exist."""
        if name not in self._controls:
            raise KeyError(f"no control token {name!r}; there are {self._names()}")
        return self._controls[name]

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of `tokens`, control tokens left out; a broken character is U+FFFD."""
        hidden = set(self._controls.values())
        return self._backend.decode([token for token in tokens if token not in hidden])

    def token_bytes(self) -> list[bytes | None]:
        """The bytes that each token id stands for; None for control tokens and unused ids.

        Raises:
            ModelError: the tokenizer decodes by a rule that sqlax does not know.
        """
        spelled = spelled_bytes(self._backend)
        hidden = set(self._controls.values())
        ids = range(self._vocabulary_size)
        return [None if token in hidden else spelled.get(token) for token in ids]

    def _encode(self, texts: list[str], first: int) -> list[Encoding]:
        for number, text in enumerate(texts, first):
            _check_text(number, text)
        return self._backend.encode_batch_fast(texts, add_special_tokens=False)

    def _names(self) -> str:
        return ", ".join(self._controls) or "none"


def _check_text(number: int, text: object) -> None:
    """Raises DataError unless `text` is a string of valid characters."""
    if not isinstance(text, str):
        raise DataError(f"text number {number} is of type {type(text).__name__}, expected str")
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise DataError(
            f"text number {number} is not valid Unicode: "
            f"lone surrogate U+{ord(text[error.start]):04X} at character {error.start}"
        ) from None
