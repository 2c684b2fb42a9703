"""Writes the tokens that another implementation makes of `texts.py`, for the tests to compare.

Each runs where its package is installed, none of which sqlax or its tests need::

    python -m tests.models.golden.make_tokens llama.cpp MODEL.gguf      # llama-cpp-python
    python -m tests.models.golden.make_tokens transformers MODEL.gguf   # transformers, torch
    python -m tests.models.golden.make_tokens original MODEL.gguf       # the same, repaired
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.models.golden.texts import CASES, LONG, random_texts

Encode = Callable[[str], list[int]]
HERE = Path(__file__).parent


def llama_cpp(model: Path) -> tuple[str, Encode]:
    """llama.cpp's tokenizer, control tokens not parsed."""
    import llama_cpp as package

    llama = package.Llama(str(model), vocab_only=True, verbose=False)
    version = f"llama-cpp-python {package.__version__}"
    return version, lambda text: llama.tokenize(text.encode(), add_bos=False, special=False)


def transformers(model: Path) -> tuple[str, Encode]:
    """The tokenizer that transformers builds from the GGUF file, control tokens not parsed."""
    import transformers as package

    tokenizer = package.AutoTokenizer.from_pretrained(model.parent, gguf_file=model.name)
    backend = tokenizer.backend_tokenizer
    backend.encode_special_tokens = True
    version = f"transformers {package.__version__}"
    return version, lambda text: backend.encode(text, add_special_tokens=False).ids


def original(model: Path) -> tuple[str, Encode]:
    """The tokenizer of transformers with the cut at digits that its GGUF conversion loses.

    SmolLM2's own tokenizer.json cuts `Digits(individual_digits=True)` before `ByteLevel`, and GGUF
    records that as `tokenizer.ggml.pre = smollm`, which transformers does not read.
    """
    import transformers as package
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    tokenizer = package.AutoTokenizer.from_pretrained(model.parent, gguf_file=model.name)
    backend = tokenizer.backend_tokenizer
    backend.pre_tokenizer = Sequence([Digits(individual_digits=True), ByteLevel(False)])
    backend.encode_special_tokens = True
    version = f"transformers {package.__version__}, digits cut one by one"
    return version, lambda text: backend.encode(text, add_special_tokens=False).ids


def digest(rows: list[list[int]]) -> dict[str, Any]:
    """Number of tokens and SHA-256 of their JSON, for results too long to store."""
    content = json.dumps(rows, separators=(",", ":")).encode()
    return {"tokens": sum(map(len, rows)), "sha256": hashlib.sha256(content).hexdigest()}


def main(reference: str, model: str) -> None:
    """Writes `tokens.REFERENCE.json` beside this file."""
    makers = {"llama.cpp": llama_cpp, "transformers": transformers, "original": original}
    version, encode = makers[reference](Path(model))
    golden = {
        "made_by": version,
        "cases": {name: encode(text) for name, text in CASES.items()},
        "long": {name: digest([encode(text)]) for name, text in LONG.items()},
        "random": digest([encode(text) for text in random_texts()]),
    }
    lines = json.dumps(golden, indent=1)
    compact = re.sub(r"(?<=[\[\d,])\n +(?=\d)|(?<=\d)\n +(?=\])", "", lines)
    (HERE / f"tokens.{reference}.json").write_text(compact + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
