"""The model in bfloat16, as transformers reads it from the GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

from benchmarks.peers.worker import Task


def load(task: Task) -> Any:
    """The model without an end token, so that texts have the length that is asked for."""
    model = transformers.AutoModelForCausalLM.from_pretrained(saved(task), dtype=torch.bfloat16)
    model = model.eval()
    model.generation_config.eos_token_id = None
    return model


def saved(task: Task) -> Path:
    """The weights in bfloat16 as a folder, made once: to unpack the file takes 12 seconds."""
    path = Path(task["model"])
    folder = Path(task["scratch"]) / f"{path.stem}.bf16"
    if not folder.exists():
        part = folder.with_suffix(".part")
        _unpacked(path).save_pretrained(part)
        part.rename(folder)
    return folder


def _unpacked(path: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(
        path.parent,
        gguf_file=path.name,
        dtype=torch.bfloat16,
        quantization_config=transformers.GgufConfig(dequantize=True),
    )
