"""Tokenizers from the metadata of GGUF files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gguf.constants import TokenType
from tokenizers import AddedToken, Tokenizer, decoders, normalizers
from tokenizers.models import BPE

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.tokenizers.byte_pair import BytePairTokenizer
from sqlax.models.tokenizers.sentencepiece import sentencepiece_backend
from sqlax.models.tokenizers.splitting import WHOLE_WORDS, canonical, splitter

MARKER = re.compile(r"<\|.*\|>")
"""Looks like a control token: some converters mark these as the user's own words."""


@dataclass(frozen=True)
class Vocabulary:
    """The tokens of a GGUF file, sorted by what text may become of them.

    Attributes:
        spelled: tokens that text is encoded into.
        whole: tokens added by hand, found in the text before it is cut.
        controls: tokens that no text ever becomes.
    """

    spelled: dict[str, int]
    whole: dict[str, int]
    controls: dict[str, int]


def from_gguf(metadata: Mapping[str, Any]) -> BytePairTokenizer:
    """Builds the tokenizer that a GGUF file describes.

    Raises:
        CorruptModelError: a key is missing or the lists do not fit each other.
        ModelError: a kind of tokenizer that sqlax does not know.
    """
    kind = _key(metadata, "model", str)
    vocabulary = vocabulary_of(metadata)
    if kind == "gpt2":
        backend = _byte_level_backend(metadata, vocabulary)
    elif kind == "llama":
        scores = _of_tokens(metadata, "scores")
        prefix = bool(metadata.get("tokenizer.ggml.add_space_prefix", True))
        backend = sentencepiece_backend(vocabulary.spelled, vocabulary.whole, scores, prefix)
    else:
        raise ModelError(f"tokenizer.ggml.model is {kind!r}; sqlax knows 'gpt2' and 'llama'")
    backend.add_tokens([AddedToken(word, normalized=False) for word in vocabulary.whole])
    end = metadata.get("tokenizer.ggml.eos_token_id")
    return BytePairTokenizer(backend, vocabulary.controls, end)


def vocabulary_of(metadata: Mapping[str, Any]) -> Vocabulary:
    """The tokens of a GGUF file by what they are; without types, all are spelled."""
    vocabulary = Vocabulary({}, {}, {})
    tokens = _key(metadata, "tokens", list)
    typed = "tokenizer.ggml.token_type" in metadata
    kinds = _of_tokens(metadata, "token_type") if typed else {}
    for number, token in enumerate(tokens):
        _place(vocabulary, token, kinds.get(token, TokenType.NORMAL))[token] = number
    return vocabulary


def _place(vocabulary: Vocabulary, token: str, kind: int) -> dict[str, int]:
    if kind in (TokenType.NORMAL, TokenType.BYTE):
        return vocabulary.spelled
    if kind == TokenType.USER_DEFINED and not MARKER.fullmatch(token):
        return vocabulary.whole
    return vocabulary.controls


def _byte_level_backend(metadata: Mapping[str, Any], vocabulary: Vocabulary) -> Tokenizer:
    """Byte-level BPE: merges as stored, words cut as `tokenizer.ggml.pre` says."""
    name = canonical(metadata.get("tokenizer.ggml.pre", "default"))
    spelled = vocabulary.spelled | vocabulary.whole
    merges = [_merge(line) for line in _key(metadata, "merges", list)]
    try:
        model = BPE(spelled, merges, ignore_merges=name in WHOLE_WORDS)
    except Exception as error:  # the library raises bare Exception
        raise CorruptModelError(f"tokenizer.ggml.merges do not fit the tokens: {error}") from error
    backend = Tokenizer(model)
    backend.pre_tokenizer = splitter(name)
    backend.decoder = decoders.ByteLevel()
    if name == "qwen2":
        backend.normalizer = normalizers.NFC()
    return backend


def _merge(line: str) -> tuple[str, str]:
    left, _, right = line.partition(" ")
    return left, right


def _of_tokens(metadata: Mapping[str, Any], name: str) -> dict[str, Any]:
    """What the list `name` says of each token."""
    tokens, values = _key(metadata, "tokens", list), _key(metadata, name, list)
    if len(values) != len(tokens):
        raise CorruptModelError(
            f"tokenizer.ggml.{name} has {len(values)} entries, "
            f"expected one for each of {len(tokens)} tokens"
        )
    return dict(zip(tokens, values, strict=True))


def _key(metadata: Mapping[str, Any], name: str, kind: type) -> Any:
    key = f"tokenizer.ggml.{name}"
    if key not in metadata:
        there = sorted(name for name in metadata if name.startswith("tokenizer."))
        raise CorruptModelError(f"metadata key {key} is missing; there are: {', '.join(there)}")
    if not isinstance(metadata[key], kind):
        found = type(metadata[key]).__name__
        raise CorruptModelError(f"metadata key {key} is a {found}, expected a {kind.__name__}")
    return metadata[key]
