"""Small tokenizers as GGUF metadata: every byte is a token, and a few merges."""

from __future__ import annotations

from typing import Any

from gguf.constants import TokenType
from tokenizers.pre_tokenizers import ByteLevel

CONTROLS = ("<|endoftext|>", "<|im_start|>")


def byte_level(pre: str = "smollm", merges: tuple[str, ...] = (), **extra: Any) -> dict[str, Any]:
    """A byte-level tokenizer; the merges' results get the last ids, `extra` replaces keys."""
    tokens = [*CONTROLS, *sorted(ByteLevel.alphabet())]
    kinds = [TokenType.CONTROL] * len(CONTROLS) + [TokenType.NORMAL] * 256
    tokens += [merge.replace(" ", "") for merge in merges]
    kinds += [TokenType.NORMAL] * len(merges)
    metadata = {
        "model": "gpt2",
        "pre": pre,
        "tokens": tokens,
        "token_type": [int(kind) for kind in kinds],
        "merges": list(merges),
        "eos_token_id": 1,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in (metadata | extra).items()}


def sentencepiece(pieces: tuple[str, ...], **extra: Any) -> dict[str, Any]:
    """A SentencePiece tokenizer: controls, 256 byte tokens, then pieces, the best first."""
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    kinds = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
    kinds += [TokenType.BYTE] * 256 + [TokenType.NORMAL] * len(pieces)
    metadata = {
        "model": "llama",
        "tokens": tokens,
        "token_type": [int(kind) for kind in kinds],
        "scores": [0.0] * 259 + [-float(rank) for rank in range(len(pieces))],
        "eos_token_id": 2,
    }
    return {f"tokenizer.ggml.{key}": value for key, value in (metadata | extra).items()}
