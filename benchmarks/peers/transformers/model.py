"""The model in bfloat16, as transformers reads it from the GGUF file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers


def load(file: str) -> Any:
    """The model without an end token, so that texts have the length that is asked for."""
    path = Path(file)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        path.parent,
        gguf_file=path.name,
        dtype=torch.bfloat16,
        quantization_config=transformers.GgufConfig(dequantize=True),
    ).eval()
    model.generation_config.eos_token_id = None
    return model
