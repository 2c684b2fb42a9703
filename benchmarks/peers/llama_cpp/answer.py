"""llama.cpp on the same weights in BF16: row by row, or `BATCH` sequences a batch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.llama_cpp.model import load
from benchmarks.peers.llama_cpp.sequences import Prompt, Sequences
from benchmarks.peers.worker import WORTH_KEEPING, Run, Task, common_prefix, serve

BATCH = 32
"""Sequences a batch."""


def start(task: Task) -> Run:
    """Load the model; a run writes texts or chooses labels."""
    sequences = Sequences(load(task), 1 if task["mode"] == "rows" else BATCH)
    prompts = task["prompts"]
    if task["kind"] == "label":
        return lambda rows: choose(sequences, prompts[:rows], task["label_ids"])
    write = partial(_write, tokens=task["tokens"])
    return lambda rows: _in_batches(sequences, prompts[:rows], write)


def choose(sequences: Sequences, prompts: list[Prompt], label_ids: list[int]) -> list[int]:
    """The place of each prompt's likeliest label; the first one of a tie."""

    def chosen(sequences: Sequences, prompts: list[Prompt]) -> list[int]:
        return [int(np.argmax(logits[label_ids])) for logits in sequences.read(prompts)]

    return _in_batches(sequences, prompts, chosen)


def _in_batches(
    sequences: Sequences,
    prompts: list[Prompt],
    answer: Callable[[Sequences, list[Prompt]], list[Any]],
) -> list[Any]:
    """Each run begins anew: what an earlier one has left is no part of the work."""
    answers: list[Any] = []
    shared = common_prefix(prompts)
    sequences.begin(prompts[0][:shared] if shared >= WORTH_KEEPING else [])
    for at in range(0, len(prompts), sequences.count):
        answers += answer(sequences, prompts[at : at + sequences.count])
    return answers


def _write(sequences: Sequences, prompts: list[Prompt], tokens: int) -> list[list[int]]:
    """All prompts at once, then one token of each at a time."""
    texts: list[list[int]] = [[] for _ in prompts]
    for _ in range(tokens):
        rows = [prompt + text for prompt, text in zip(prompts, texts, strict=True)]
        for text, logits in zip(texts, sequences.read(rows), strict=True):
            text.append(int(np.argmax(logits)))
    return texts


if __name__ == "__main__":
    serve(start)
