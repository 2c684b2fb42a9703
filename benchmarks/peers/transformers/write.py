"""transformers' own batched generate, prompts sorted by length, padded on the left."""

from __future__ import annotations

from typing import Any

import torch

BATCH = 100
"""Rows a batch: half of W2."""

Prompt = list[int]


def write(model: Any, prompts: list[Prompt], tokens: int) -> list[list[int]]:
    """A text of exactly so many tokens for each prompt."""
    order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
    texts: list[list[int]] = [[] for _ in prompts]
    for at in range(0, len(order), BATCH):
        rows = order[at : at + BATCH]
        with torch.inference_mode():
            written = _batch(model, [prompts[row] for row in rows], tokens)
        for row, text in zip(rows, written, strict=True):
            texts[row] = text
    return texts


def _batch(model: Any, prompts: list[Prompt], tokens: int) -> list[list[int]]:
    width = max(map(len, prompts))
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts])
    there = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    written = model.generate(
        ids,
        attention_mask=there,
        do_sample=False,
        max_new_tokens=tokens,
        eos_token_id=None,
        pad_token_id=0,
    )
    texts: list[list[int]] = written[:, width:].tolist()
    return texts
