"""SentencePiece vocabularies (Llama 2) as byte pairs with byte fallback."""

from __future__ import annotations

from collections.abc import Mapping

from tokenizers import Tokenizer, decoders, normalizers
from tokenizers.models import BPE

SPACE = "\u2581"
"""What SentencePiece writes for a space."""


def sentencepiece_backend(
    spelled: dict[str, int], whole: dict[str, int], scores: Mapping[str, float], space_prefix: bool
) -> Tokenizer:
    """A backend that merges the best-scored pair first and spells the unknown in bytes.

    Args:
        spelled: tokens that text is encoded into.
        whole: further tokens, which no merge makes.
        scores: score of each token.
        space_prefix: start every text with a space, as the model saw in training.
    """
    merges = merges_by_score(spelled, scores)
    backend = Tokenizer(BPE(spelled | whole, merges, fuse_unk=True, byte_fallback=True))
    spaces = normalizers.Replace(" ", SPACE)
    prefix = [normalizers.Prepend(SPACE)] if space_prefix else []
    backend.normalizer = normalizers.Sequence([*prefix, spaces])
    strip = [decoders.Strip(" ", 1, 0)] if space_prefix else []
    backend.decoder = decoders.Sequence(
        [decoders.Replace(SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *strip]
    )
    return backend


def merges_by_score(
    vocabulary: Mapping[str, int], scores: Mapping[str, float]
) -> list[tuple[str, str]]:
    """Every way to put a token together from two others, tokens of higher score first.

    Byte tokens such as `<0x0A>` are never put together: they stand for bytes, not for their name.
    """
    found: list[tuple[float, int, int, str, str]] = []
    for token in vocabulary:
        if _is_byte(token):
            continue
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in vocabulary and right in vocabulary:
                pair = (-scores[token], vocabulary[left], vocabulary[right], left, right)
                found.append(pair)
    return [(left, right) for *_, left, right in sorted(found)]


def _is_byte(token: str) -> bool:
    return len(token) == len("<0x00>") and token.startswith("<0x") and token.endswith(">")
