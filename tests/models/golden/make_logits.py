"""Writes the logits that transformers computes from a GGUF file, for the tests to compare.

Run it where torch, transformers and gguf are installed, none of which the tests need::

    python -m tests.models.golden.make_logits MODEL.gguf
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from tests.models.golden.make_tokens import original
from tests.models.golden.prompts import LABELS, PROBES, PROMPTS, reviews

Logits = Callable[[Sequence[str]], torch.Tensor]
HERE = Path(__file__).parent
TOP = 5
TILE = 25


def last_logits(path: Path, dtype: torch.dtype) -> Logits:
    """What computes float32 logits after the last token of texts, in `dtype` until then."""
    load = transformers.AutoModelForCausalLM.from_pretrained
    dense = transformers.GgufConfig(dequantize=True)
    model = load(path.parent, gguf_file=path.name, dtype=dtype, quantization_config=dense).eval()
    _, encode = original(path)

    def logits(texts: Sequence[str]) -> torch.Tensor:
        rows = [torch.tensor(encode(text)) for text in texts]
        ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)  # causal: pads change nothing
        with torch.inference_mode():
            hidden = model.model(ids).last_hidden_state
            last = torch.stack(
                [states[len(row) - 1] for states, row in zip(hidden, rows, strict=True)]
            )
            return model.lm_head(last).float()

    return logits


def probes(path: Path) -> list[int]:
    """The ids of `PROBES`, each a single token."""
    _, encode = original(path)
    ids = [encode(text) for text in PROBES]
    assert all(len(tokens) == 1 for tokens in ids), ids
    return [tokens[0] for tokens in ids]


def detailed(logits: torch.Tensor, ids: list[int]) -> dict[str, Any]:
    """The largest logits and those of the probes."""
    top = logits.topk(TOP)
    return {
        "top": top.indices.tolist(),
        "top_logits": rounded(top.values),
        "probe_logits": rounded(logits[ids]),
    }


def brief(logits: torch.Tensor, ids: list[int]) -> list[float]:
    """Largest logit's token, its lead over the next, and the first label's over the second."""
    top = logits.topk(2)
    lead, label_lead = top.values[0] - top.values[1], logits[ids[0]] - logits[ids[1]]
    return [int(top.indices[0]), *rounded(torch.stack([lead, label_lead]))]


def rounded(values: torch.Tensor) -> list[float]:
    """Values to five decimals."""
    return [round(value, 5) for value in values.tolist()]


def briefs(logits: Logits, texts: list[str], ids: list[int]) -> list[list[float]]:
    """`brief` of every text, some at a time."""
    tiles = [texts[at : at + TILE] for at in range(0, len(texts), TILE)]
    return [brief(row, ids) for tile in tiles for row in logits(tile)]


def main(model: str) -> None:
    """Writes `logits.json` beside this file."""
    path = Path(model)
    ids = probes(path)
    exact = last_logits(path, torch.float32)
    golden = {
        "made_by": f"transformers {transformers.__version__}, torch {torch.__version__}",
        "probes": ids,
        "prompts": [detailed(exact([text])[0], ids) for text in PROMPTS],
        "review_columns": ["token", "lead", f"lead of{LABELS[0]} over{LABELS[1]}"],
        "reviews": briefs(exact, reviews(), ids),
        "bfloat16_reviews": briefs(last_logits(path, torch.bfloat16), reviews(), ids),
    }
    lines = json.dumps(golden, indent=1)
    compact = re.sub(r"(?<=[\[\d,])\n +(?=[-\d])|(?<=\d)\n +(?=\])", "", lines)
    (HERE / "logits.json").write_text(compact + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
