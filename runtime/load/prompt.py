"""One operator's prompt: prefix, row parts and calibration texts as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Array

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.load.markup import tokens_of
from sqlax.runtime.load.pool import PoolBuilder
from sqlax.runtime.prompt.inputs import PromptInputs
from sqlax.runtime.prompt.layout import PromptLayout, Slot, Text
from sqlax.runtime.prompt.operator import Part
from sqlax.runtime.relation import bucket


@dataclass(frozen=True)
class LoadedOperator:
    """An operator's constants on the host, and what they decide about its shapes.

    Attributes:
        inputs: the constants as NumPy arrays.
        parts: the row's prompt in order.
        constant_tokens: tokens of the row that do not depend on it, trie nodes included.
        slots: number of values in a row's prompt.
    """

    inputs: PromptInputs
    parts: tuple[Part, ...]
    constant_tokens: int
    slots: int


class LoadedPrompt(NamedTuple):
    """An operator's prompt on the host.

    Attributes:
        fields: the fields of `PromptInputs`, but `behind`.
        parts: the row's prompt in order.
        constant_tokens: tokens of the row that do not depend on it.
        slots: number of values in a row's prompt.
    """

    fields: dict[str, Any]
    parts: tuple[Part, ...]
    constant_tokens: int
    slots: int


class Loading(NamedTuple):
    """What operators are loaded with.

    Attributes:
        tokenizer: the model's.
        pool: takes the constant runs of tokens; its leads are the rows of its tables.
        dictionary: gives the codes of answers and reasons.
        reasons: error text of each status.
    """

    tokenizer: Tokenizer
    pool: PoolBuilder
    dictionary: StringDictionary
    reasons: Sequence[str]


def load_prompt(layout: PromptLayout, loading: Loading) -> LoadedPrompt:
    """Tokenise what does not depend on rows."""
    tokenizer, pool = loading.tokenizer, loading.pool
    prefix = tokens_of(layout.prefix, tokenizer)
    row, held = _row_tokens(layout, tokenizer, prefix)
    prefix = prefix[: len(prefix) - held]
    ranges = [pool.constant(tokens) for tokens in row if isinstance(tokens, list)]
    parts = _parts(row, pool.leads)
    fields = {
        "prefix_tokens": padded(prefix, _prefix_capacity(len(prefix))),
        "prefix_length": device_like(len(prefix), np.int32),
        "constant_start": device_like([start for start, _ in ranges], np.int32),
        "constant_length": device_like([length for _, length in ranges], np.int32),
        **_neutral(layout, tokenizer, pool),
        "known": device_like(layout.known, np.bool_),
        "reason_code": device_like(
            [loading.dictionary.code(reason) for reason in loading.reasons], np.int32
        ),
    }
    used = sum(length for _, length in ranges)
    return LoadedPrompt(fields, parts, used, sum(p.constant is None for p in parts))


def _row_tokens(
    layout: PromptLayout, tokenizer: Tokenizer, prefix: list[int]
) -> tuple[list[list[int] | Slot], int]:
    """The row's parts with texts as tokens, and how many prefix tokens moved into the row.

    A row needs a token of its own even when all its values are empty: where it holds no constant
    text, the prefix gives up its last token.
    """
    row = [tokens_of([p], tokenizer) if isinstance(p, Text) else p for p in layout.row]
    if any(isinstance(part, list) and part for part in row) or not prefix:
        return row, 0
    return [prefix[-1:], *row], 1


def _parts(row: list[list[int] | Slot], leads: tuple[str, ...]) -> tuple[Part, ...]:
    parts, constants = [], 0
    for part in row:
        if isinstance(part, Slot):
            parts.append(Part(None, part.value, leads.index(part.lead)))
        else:
            parts.append(Part(constants))
            constants += 1
    return tuple(parts)


def _neutral(layout: PromptLayout, tokenizer: Tokenizer, pool: PoolBuilder) -> dict[str, Array]:
    values = 1 + max((p.value for p in layout.row if isinstance(p, Slot)), default=-1)
    lead = {p.value: p.lead for p in layout.row if isinstance(p, Slot)}
    ranges = [
        [pool.constant(tokenizer.encode(lead[value] + text)) for value in range(values)]
        for text in layout.neutral
    ]
    shaped = np.asarray(ranges, np.int32).reshape(len(layout.neutral), values, 2)
    return {
        "neutral_start": device_like(shaped[..., 0], np.int32),
        "neutral_length": device_like(shaped[..., 1], np.int32),
    }


def _prefix_capacity(length: int) -> int:
    return bucket(length, 32) if length else 0


def padded(values: Sequence[int], capacity: int) -> Array:
    """The values as int32, zeros behind them."""
    return device_like([*values, *[0] * (capacity - len(values))], np.int32)
