"""transformers' batched generate in bfloat16, prompts sorted by length, padded on the left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

from benchmarks.peers.worker import Task, Write, serve

BATCH = 100
"""Rows a batch: half of W2."""


def start(task: Task) -> Write:
    """Load the model; the returned function writes texts."""
    path = Path(task["model"])
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent,
        gguf_file=path.name,
        dtype=torch.bfloat16,
        quantization_config=transformers.GgufConfig(dequantize=True),
    ).eval()
    model.generation_config.eos_token_id = None
    batch = task.get("batch", BATCH)

    def write(prompts: list[list[int]]) -> list[list[int]]:
        order = sorted(range(len(prompts)), key=lambda row: len(prompts[row]))
        texts: list[list[int]] = [[] for _ in prompts]
        for at in range(0, len(order), batch):
            rows = order[at : at + batch]
            with torch.inference_mode():
                written = _batch(model, [prompts[row] for row in rows], task["tokens"])
            for row, text in zip(rows, written, strict=True):
                texts[row] = text
        return texts

    return write


def _batch(model: Any, prompts: list[list[int]], tokens: int) -> list[list[int]]:
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


if __name__ == "__main__":
    serve(start)
