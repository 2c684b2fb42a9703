"""One score operator's constants: prefix, row parts and labels as tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Array

from sqlax.errors import BindError
from sqlax.models.label_trie import build_trie
from sqlax.models.language_model import LabelTrie
from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.load.pool import PoolBuilder
from sqlax.runtime.relation import bucket
from sqlax.runtime.score.inputs import ScoreInputs
from sqlax.runtime.score.layout import PromptLayout, Slot, Text
from sqlax.runtime.score.operator import Part


@dataclass(frozen=True)
class LoadedOperator:
    """An operator's constants on the host, and what they decide about its shapes.

    Attributes:
        inputs: the constants as NumPy arrays.
        parts: the row's prompt in order.
        constant_tokens: tokens of the row that do not depend on it, trie nodes included.
        slots: number of values in a row's prompt.
    """

    inputs: ScoreInputs
    parts: tuple[Part, ...]
    constant_tokens: int
    slots: int


def load_operator(
    layout: PromptLayout,
    tokenizer: Tokenizer,
    pool: PoolBuilder,
    leads: tuple[str, ...],
    dictionary: StringDictionary,
    reasons: Sequence[str],
) -> LoadedOperator:
    """Tokenise what does not depend on rows.

    Args:
        layout: the prompt.
        tokenizer: the model's.
        pool: takes the constant runs of tokens.
        leads: leading texts in the order of the pool's rows.
        dictionary: gives the codes of answers and reasons.
        reasons: error text of each status.
    """
    prefix = tokenizer.encode(layout.prefix)
    row, held = _row_tokens(layout, tokenizer, prefix)
    prefix = prefix[: len(prefix) - held]
    ranges = [pool.constant(tokens) for tokens in row if isinstance(tokens, list)]
    trie = label_trie(layout, tokenizer)
    parts = _parts(row, leads)
    used = sum(length for _, length in ranges) + len(trie.node_token)
    labels = len(trie.label_valid)
    inputs = ScoreInputs(
        prefix_tokens=_padded(prefix, _prefix_capacity(len(prefix))),
        prefix_length=device_like(len(prefix), np.int32),
        constant_start=device_like([start for start, _ in ranges], np.int32),
        constant_length=device_like([length for _, length in ranges], np.int32),
        **_neutral(layout, tokenizer, pool),
        trie=trie,
        label_code=_padded([dictionary.code(a) for a in layout.answers], labels),
        label_value=device_like(
            [*layout.values, *[0.0] * (labels - len(layout.values))], np.float64
        ),
        threshold=device_like(layout.threshold, np.float32),
        strength=device_like(layout.strength, np.float32),
        known=device_like(layout.known, np.bool_),
        reason_code=device_like([dictionary.code(r) for r in reasons], np.int32),
    )
    return LoadedOperator(inputs, parts, used, sum(p.constant is None for p in parts))


def _row_tokens(
    layout: PromptLayout, tokenizer: Tokenizer, prefix: list[int]
) -> tuple[list[list[int] | Slot], int]:
    """The row's parts with texts as tokens, and how many prefix tokens moved into the row.

    A row needs a token of its own even when all its values are empty: where it holds no constant
    text, the prefix gives up its last token.
    """
    row = [tokenizer.encode(p.text) if isinstance(p, Text) else p for p in layout.row]
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


def label_trie(layout: PromptLayout, tokenizer: Tokenizer) -> LabelTrie:
    """The labels as a trie; all get an end where the tokens of one begin those of another.

    Raises:
        BindError: a label has no tokens, or two labels have the same.
    """
    labels = [tokenizer.encode(label) for label in layout.labels]
    if _some_begins_another(labels):
        end = tokenizer.encode(layout.end)
        labels = [label + end for label in labels]
    try:
        return build_trie(labels)
    except ValueError as error:
        raise BindError(f"the model cannot tell the labels {list(layout.labels)} apart") from error


def _some_begins_another(labels: list[list[int]]) -> bool:
    ordered = sorted(labels)
    return any(b[: len(a)] == a for a, b in pairwise(ordered))


def _prefix_capacity(length: int) -> int:
    return bucket(length, 32) if length else 0


def _padded(values: Sequence[int], capacity: int) -> Array:
    return device_like([*values, *[0] * (capacity - len(values))], np.int32)
