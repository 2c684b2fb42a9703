"""Tokenizers from Hugging Face's tokenizer.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.tokenizers.byte_pair import BytePairTokenizer


def from_file(path: Path) -> BytePairTokenizer:
    """Builds the tokenizer of a tokenizer.json, with its special tokens out of reach of text.

    The special tokens leave the vocabulary, and with them what would add, pad or cut tokens: the
    post-processor, padding and truncation.
    """
    content = _read(path)
    special = {
        token["content"]: int(token["id"])
        for token in content.get("added_tokens") or []
        if token["special"]
    }
    try:
        backend = Tokenizer.from_str(json.dumps(_without(content, special)))
    except Exception as error:  # the library raises bare Exception
        raise CorruptModelError(f"{path} is not a usable tokenizer: {error}") from error
    return BytePairTokenizer(backend, special, _end(path.parent, special))


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise CorruptModelError(f"{path} is not valid JSON: {error}") from error
    kind = (content.get("model") or {}).get("type", "BPE")
    if kind != "BPE" or "vocab" not in content.get("model", {}):
        raise ModelError(f"{path} holds a {kind} tokenizer; sqlax knows BPE with a vocabulary")
    return content


def _without(content: dict[str, Any], special: dict[str, int]) -> dict[str, Any]:
    """The file's content without its special tokens and without what works on encoded text."""
    model = content["model"]
    vocabulary = {token: number for token, number in model["vocab"].items() if token not in special}
    added = [token for token in content.get("added_tokens") or [] if not token["special"]]
    return content | {
        "model": model | {"vocab": vocabulary, "unk_token": None},
        "added_tokens": added,
        "post_processor": None,
        "padding": None,
        "truncation": None,
    }


def _end(folder: Path, special: dict[str, int]) -> int | None:
    """The end token that tokenizer_config.json beside the file names, if any."""
    config = folder / "tokenizer_config.json"
    if not config.exists():
        return None
    try:
        end = json.loads(config.read_bytes()).get("eos_token")
    except ValueError as error:
        raise CorruptModelError(f"{config} is not valid JSON: {error}") from error
    return special.get(end["content"] if isinstance(end, dict) else end)
