"""Makes the golden tokens that transformers writes after prompts about snippets of rt_polarity.

Run it where torch, transformers and gguf are installed, none of which the tests need::

    python -m tests.models.golden.make_generate MODEL.gguf DATA
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
import transformers

from tests.models.golden.make_tokens import original
from tests.models.golden.prompts import summary_prompts

HERE = Path(__file__).parent
TOKENS = 32
TILE = 40
NEAR = 0.01
"""Leads below it are stored: two correct programs may differ there."""


def greedy(
    model: transformers.PreTrainedModel, prompts: Sequence[list[int]]
) -> tuple[torch.Tensor, torch.Tensor]:
    """The likeliest tokens one after another, also after an end, and each one's lead."""
    width = max(len(prompt) for prompt in prompts)
    ids = torch.tensor([[0] * (width - len(prompt)) + prompt for prompt in prompts])
    there = torch.tensor([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    written = model.generate(
        ids,
        attention_mask=there,
        do_sample=False,
        max_new_tokens=TOKENS,
        eos_token_id=None,
        pad_token_id=0,
        output_logits=True,
        return_dict_in_generate=True,
    )
    top = torch.stack(written.logits, 1).float().topk(2).values
    return written.sequences[:, width:], top[..., 0] - top[..., 1]


def main(file: str, data: str) -> None:
    """Writes `generate.json` beside this file."""
    path = Path(file)
    load = transformers.AutoModelForCausalLM.from_pretrained
    dense = transformers.GgufConfig(dequantize=True)
    model = load(
        path.parent, gguf_file=path.name, dtype=torch.float32, quantization_config=dense
    ).eval()
    model.generation_config.eos_token_id = None
    _, encode = original(path)
    prompts = [encode(text) for text in summary_prompts(Path(data))]
    with torch.inference_mode():
        tiles = [greedy(model, prompts[at : at + TILE]) for at in range(0, len(prompts), TILE)]
    tokens, leads = (torch.cat(parts) for parts in zip(*tiles, strict=True))
    near = [[row, at, round(float(leads[row, at]), 5)] for row, at in (leads < NEAR).nonzero()]
    golden = {
        "made_by": f"transformers {transformers.__version__}, torch {torch.__version__}, float32",
        "near_columns": ["row", "token", "lead of the best over the next"],
        "near": [[int(row), int(at), lead] for row, at, lead in near],
        "tokens": tokens.tolist(),
    }
    lines = [f"{json.dumps(name)}: {_spread(value)}" for name, value in golden.items()]
    (HERE / "generate.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _spread(value: object) -> str:
    """JSON with one row a line."""
    if not (isinstance(value, list) and value and isinstance(value[0], list)):
        return json.dumps(value)
    return "[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in value) + "\n]"


if __name__ == "__main__":
    main(*sys.argv[1:])
