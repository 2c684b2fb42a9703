"""One score operator's constants: its prompt, and labels as tokens."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sqlax.errors import BindError
from sqlax.models.label_trie import build_trie
from sqlax.models.language_model import LabelTrie
from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.prompt import LoadedOperator, Loading, load_prompt, padded
from sqlax.runtime.prompt.layout import PromptLayout
from sqlax.runtime.score.inputs import ScoreInputs

FEWEST_LABELS = 8
"""Room for so many labels at least, so that operators with few of them share a compiled body."""


def load_score(layout: PromptLayout, loading: Loading) -> LoadedOperator:
    """Tokenise the prompt's constants and the labels.

    Raises:
        BindError: a label has no tokens, or two labels have the same.
    """
    prompt = load_prompt(layout, loading)
    trie = label_trie(layout, loading.tokenizer)
    labels = len(trie.label_valid)
    inputs = ScoreInputs(
        **prompt.fields,
        behind=device_like(int(np.max(trie.node_depth, initial=0)) + 1, np.int32),
        trie=trie,
        label_code=padded([loading.dictionary.code(a) for a in layout.answers], labels),
        label_value=device_like(
            [*layout.values, *[0.0] * (labels - len(layout.values))], np.float64
        ),
        threshold=device_like(layout.threshold, np.float32),
        strength=device_like(layout.strength, np.float32),
    )
    return LoadedOperator(
        inputs, prompt.parts, prompt.constant_tokens + len(trie.node_token), prompt.slots
    )


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
        return build_trie(labels, fewest=FEWEST_LABELS)
    except ValueError as error:
        raise BindError(f"the model cannot tell the labels {list(layout.labels)} apart") from error


def _some_begins_another(labels: list[list[int]]) -> bool:
    ordered = sorted(labels)
    return any(b[: len(a)] == a for a, b in pairwise(ordered))
