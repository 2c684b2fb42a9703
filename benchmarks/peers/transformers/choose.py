"""The likeliest of some labels behind each prompt, in buckets of prompts of one length."""

from __future__ import annotations

import copy
from collections import defaultdict
from typing import Any

import torch
import transformers

from benchmarks.peers.worker import WORTH_KEEPING, common_prefix

BUCKET = 64
"""Most rows of a bucket."""

Prompt = list[int]


def choose(model: Any, prompts: list[Prompt], label_ids: list[int]) -> list[int]:
    """The place of each prompt's likeliest label; the first one of a tie."""
    shared = common_prefix(prompts)
    shared = shared if shared >= WORTH_KEEPING else 0
    chosen = [0] * len(prompts)
    with torch.inference_mode():
        kept = _read(model, prompts[0][:shared]) if shared else None
        for rows in _buckets(prompts):
            ids = torch.tensor([prompts[row][shared:] for row in rows])
            logits = _logits(model, ids, kept)[:, label_ids]
            for row, place in zip(rows, logits.argmax(-1).tolist(), strict=True):
                chosen[row] = place
    return chosen


def _buckets(prompts: list[Prompt]) -> list[list[int]]:
    """Rows of one length each, so that none is padded."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for row, prompt in enumerate(prompts):
        by_length[len(prompt)].append(row)
    return [
        rows[at : at + BUCKET] for rows in by_length.values() for at in range(0, len(rows), BUCKET)
    ]


def _read(model: Any, prefix: Prompt) -> Any:
    """The keys and values of a prefix, for one row."""
    cache = transformers.DynamicCache(config=model.config)
    model(torch.tensor([prefix]), past_key_values=cache, logits_to_keep=1)
    return cache


def _logits(model: Any, ids: torch.Tensor, kept: Any) -> torch.Tensor:
    """Those behind the last token of each row."""
    if kept is None:
        return model(ids, use_cache=False, logits_to_keep=1).logits[:, -1]
    cache = copy.deepcopy(kept)
    cache.batch_repeat_interleave(len(ids))
    return model(ids, past_key_values=cache, logits_to_keep=1).logits[:, -1]
