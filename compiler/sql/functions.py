"""The semantic functions as data: their spellings, their arguments, what they return."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Final

CALL_PREFIX: Final = "__"
"""Marks a rewritten call in the tree: `AI.IF(...)` becomes the anonymous function `__AI_IF`."""


class Function(StrEnum):
    """A semantic function that can be compiled."""

    IF = "AI_IF"
    CLASSIFY = "AI_CLASSIFY"
    SCORE = "AI_SCORE"
    GENERATE = "AI_GENERATE"
    EXTRACT = "AI_EXTRACT"
    SUMMARIZE = "AI_SUMMARIZE"
    TRANSLATE = "AI_TRANSLATE"
    SENTIMENT = "AI_SENTIMENT"
    AGG = "AI_AGG"
    SUMMARIZE_AGG = "AI_SUMMARIZE_AGG"
    COUNT_TOKENS = "AI_COUNT_TOKENS"


AGGREGATES: Final = frozenset({Function.AGG, Function.SUMMARIZE_AGG})
"""Functions of all texts of a group: their first argument is read as LIST of it."""


@dataclass(frozen=True)
class Signature:
    """How one function is written; `positional` lists argument names in order."""

    function: Function
    aliases: tuple[str, ...]
    positional: tuple[str, ...]
    named: frozenset[str]
    returns: str

    @property
    def arguments(self) -> frozenset[str]:
        """Every argument name that the function takes."""
        return self.named | frozenset(self.positional)


ANSWERING: Final = frozenset(
    {"task_description", "examples", "model", "on_error", "return_error_details"}
    | {"max_error_ratio", "max_tokens", "temperature", "seed", "raw"}
)
"""Arguments of every function that asks the model a question."""

WRITING: Final = ANSWERING - {"examples", "task_description"} | {
    "min_tokens",
    "stop",
    "top_k",
    "top_p",
    "min_p",
}
"""Arguments of every function whose answer is written token by token."""

SIGNATURES: Final = {
    signature.function: signature
    for signature in (
        Signature(
            Function.IF,
            ("AI_FILTER", "LLM_FILTER", "NLFILTER"),
            ("prompt",),
            ANSWERING | {"threshold"},
            "BOOLEAN",
        ),
        Signature(
            Function.CLASSIFY,
            (),
            ("prompt", "categories", "options"),
            ANSWERING | {"threshold", "output_mode"},
            "VARCHAR",
        ),
        Signature(Function.SCORE, (), ("prompt",), ANSWERING | {"scale"}, "DOUBLE"),
        Signature(
            Function.GENERATE,
            (
                *("AI_COMPLETE", "AI_GEN", "AI_QUERY", "LLM_COMPLETE", "PROMPT"),
                "AI_GENERATE_TEXT",
            ),
            ("prompt",),
            WRITING | {"return_type", "schema", "pattern", "choices"},
            "VARCHAR",
        ),
        Signature(Function.EXTRACT, (), ("prompt", "fields"), WRITING, "VARCHAR"),
        Signature(Function.SUMMARIZE, (), ("prompt",), WRITING, "VARCHAR"),
        Signature(Function.TRANSLATE, (), ("prompt", "language"), WRITING, "VARCHAR"),
        Signature(Function.SENTIMENT, ("AI_ANALYZE_SENTIMENT",), ("prompt",), ANSWERING, "VARCHAR"),
        Signature(Function.AGG, (), ("prompt", "instruction"), WRITING, "VARCHAR"),
        Signature(Function.SUMMARIZE_AGG, (), ("prompt",), WRITING, "VARCHAR"),
        Signature(Function.COUNT_TOKENS, (), ("prompt",), frozenset({"model"}), "INTEGER"),
    )
}

LATER: Final = {
    "AI_GENERATE_TABLE": (
        *("LLM_COMPLETE_JSON", "AI_GENERATE_BOOL", "AI_GENERATE_INT", "AI_GENERATE_DOUBLE"),
    ),
    "LLM_REDUCE": ("LLM_REDUCE_JSON",),
    "AI_FOLD": (),
    "AI_EMBED": ("LLM_EMBEDDING",),
    "AI_SIMILARITY": (),
    "AI_RANK": ("LLM_RERANK", "LLM_FIRST", "LLM_LAST"),
    "AI_JOIN": ("NLJOIN",),
}
"""Functions of the surface that cannot be compiled yet, with their aliases."""

ARGUMENT_ALIASES: Final = {
    "input": "prompt",
    "content": "prompt",
    "labels": "categories",
    "list_of_categories": "categories",
    "model_id": "model",
    "model_name": "model",
    "output_schema": "schema",
    "target_language": "language",
}

IGNORED_ARGUMENTS: Final = frozenset({"connection_id", "model_params", "request_type"})
"""Arguments that steer a remote service: accepted, without effect, with a warning."""

SCHEMAS: Final = frozenset({"AI", "GOOGLE_ML"})
"""What may stand before the dot: `AI.IF` and `google_ml.if` are both `AI_IF`."""

_PREFIXES: Final = ("AI_", "LLM_")

_COMPILED: Final = {
    spelling: signature.function
    for signature in SIGNATURES.values()
    for spelling in (signature.function.value, *signature.aliases)
}

_REFUSED: Final = {
    spelling: name for name, aliases in LATER.items() for spelling in (name, *aliases)
}

_OTHER_SPELLINGS: Final = frozenset(
    name for name in (*_COMPILED, *_REFUSED) if not name.startswith(_PREFIXES)
)


_HINT: Final = re.compile(
    r"\b(?:ai_|llm_|google_ml\b|ai\b|" + "|".join(map(str.lower, _OTHER_SPELLINGS)) + ")",
    re.IGNORECASE,
)


def may_hold_call(sql: str) -> bool:
    """Whether a text is worth reading token by token: False only if it calls nothing of ours."""
    return _HINT.search(sql) is not None


def is_spelling(name: str) -> bool:
    """Whether a call of this unqualified name is ours, known or not: `AI_FOO` is."""
    upper = name.upper()
    return upper.startswith(_PREFIXES) or upper in _OTHER_SPELLINGS


def compiled_function(name: str) -> Function | None:
    """The function that this spelling means, if it can be compiled."""
    return _COMPILED.get(name.upper())


def is_later_function(name: str) -> bool:
    """Whether the surface knows this spelling but no program can be made of it yet."""
    return name.upper() in _REFUSED


def describe_functions() -> str:
    """The functions that exist, with their aliases, for an error message."""
    return ", ".join(
        signature.function
        + (f" (also {', '.join(signature.aliases)})" if signature.aliases else "")
        for signature in SIGNATURES.values()
    )


def close_functions(name: str) -> list[str]:
    """Known spellings that look like this unknown one, the closest first."""
    return get_close_matches(name.upper(), [*_COMPILED, *_REFUSED], n=3, cutoff=0.6)
