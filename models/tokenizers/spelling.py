"""The bytes that tokens stand for, by the rule that the tokenizer's decoder follows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tokenizers import Tokenizer

from sqlax.errors import ModelError

BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")
"""How byte fallback writes a token that stands for one byte."""


def byte_characters() -> dict[str, int]:
    """The character that byte-level BPE writes for each byte, as GPT-2's encoder chose them.

    Printable bytes of Latin-1 stand for themselves, the others follow from U+0100 on.
    """
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    spelled = {chr(byte): byte for byte in printable}
    return spelled | {chr(0x100 + number): byte for number, byte in enumerate(others)}


def spelled_bytes(backend: Tokenizer) -> dict[int, bytes]:
    """The bytes of every token that the backend knows.

    A token that begins a word holds its space; bytes of one token need not be whole characters.

    Raises:
        ModelError: the decoder follows a rule that sqlax does not know.
    """
    vocabulary = backend.get_vocab(with_added_tokens=True)
    steps = list(_steps(_decoder(backend)))
    if any(step["type"] == "ByteLevel" for step in steps):
        return _byte_level(vocabulary)
    return _with_fallback(vocabulary, steps)


def _decoder(backend: Tokenizer) -> Mapping[str, Any]:
    decoder = backend.decoder
    if decoder is None:
        raise ModelError("the tokenizer has no decoder, so its tokens' bytes are not known")
    state: Mapping[str, Any] = json.loads(decoder.__getstate__())
    return state


def _steps(decoder: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    if decoder["type"] != "Sequence":
        return [decoder]
    return [step for part in decoder["decoders"] for step in _steps(part)]


def _byte_level(vocabulary: Mapping[str, int]) -> dict[int, bytes]:
    """A character is a byte; a token with any other character stands for its own text."""
    byte = byte_characters()
    return {
        number: bytes(byte[c] for c in token) if all(c in byte for c in token) else token.encode()
        for token, number in vocabulary.items()
    }


def _with_fallback(
    vocabulary: Mapping[str, int], steps: Iterable[Mapping[str, Any]]
) -> dict[int, bytes]:
    replaced: dict[str, str] = {}
    fallback = False
    for step in steps:
        if step["type"] == "Replace" and "String" in step["pattern"]:
            replaced[step["pattern"]["String"]] = step["content"]
        elif step["type"] == "Metaspace":
            replaced[step["replacement"]] = " "
        elif step["type"] == "ByteFallback":
            fallback = True
        elif step["type"] not in ("Fuse", "Strip"):
            raise ModelError(f"the tokenizer's decoder {step['type']!r} is not known to sqlax")
    return {number: _spelled(token, replaced, fallback) for token, number in vocabulary.items()}


def _spelled(token: str, replaced: Mapping[str, str], fallback: bool) -> bytes:
    byte = BYTE_TOKEN.fullmatch(token) if fallback else None
    if byte:
        return bytes([int(byte[1], 16)])
    for old, new in replaced.items():
        token = token.replace(old, new)
    return token.encode()
