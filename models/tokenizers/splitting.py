"""How text is cut into words before byte pairs are merged, by the names GGUF files give it.

A name stands for a sequence of cuts: each pattern's matches, and what lies between them, become
pieces that the next pattern cuts further. A merge never crosses a cut.
"""

from __future__ import annotations

from tokenizers import Regex
from tokenizers.pre_tokenizers import ByteLevel, Digits, PreTokenizer, Sequence, Split

from sqlax.errors import ModelError

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

PATTERNS: dict[str, tuple[str, ...]] = {
    "default": (r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
    "deepseek-coder": (
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+",
        r"\p{N}",
    ),
    "llama-bpe": (LLAMA3,),
    "qwen2": (QWEN2,),
    "tekken": (TEKKEN,),
}
ALIASES = {
    "llama3": "llama-bpe",
    "llama-v3": "llama-bpe",
    "falcon3": "llama-bpe",
    "smaug-bpe": "llama-bpe",
    "deepseek-r1-qwen": "qwen2",
    "phi-2": "gpt-2",
    "mpt": "gpt-2",
    "olmo": "gpt-2",
    "starcoder": "smollm",
    "refact": "smollm",
    "codeshell": "smollm",
    "command-r": "smollm",
}
WHOLE_WORDS = frozenset({"llama-bpe", "tekken"})
"""Where a word that is a token as it stands is taken whole, whatever the merges say."""


def canonical(name: str) -> str:
    """The name whose rule `name` follows; ModelError lists the names that are known."""
    known = {*PATTERNS, "gpt-2", "smollm"}
    canonical_name = ALIASES.get(name, name)
    if canonical_name not in known:
        raise ModelError(
            f"unknown pre-tokenizer {name!r} in tokenizer.ggml.pre; "
            f"sqlax knows {', '.join(sorted(known | ALIASES.keys()))}"
        )
    return canonical_name


def splitter(name: str) -> PreTokenizer:
    """Cuts text by the rule of a canonical name and spells each piece in byte characters."""
    if name == "gpt-2":
        return ByteLevel(add_prefix_space=False, use_regex=True)
    if name == "smollm":
        by_word = ByteLevel(add_prefix_space=False, use_regex=True)
        return Sequence([Digits(individual_digits=True), by_word])
    cuts = [Split(Regex(pattern), "isolated") for pattern in PATTERNS[name]]
    return Sequence([*cuts, ByteLevel(add_prefix_space=False, use_regex=False)])
