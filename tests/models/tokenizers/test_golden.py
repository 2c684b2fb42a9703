"""Tokens of the default model against those of other implementations.

"original" is transformers with SmolLM2's own cut at digits put back; sqlax equals it everywhere.
Where the others differ from it they are listed below, with the reason.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from sqlax.models.tokenizers import BytePairTokenizer, from_gguf
from sqlax.models.weights.gguf_file import open_gguf
from tests.models.golden.texts import CASES, LONG, random_texts

pytestmark = pytest.mark.real_model

GOLDEN = Path(__file__).parents[1] / "golden"
REFERENCES = {
    name: json.loads((GOLDEN / f"tokens.{name}.json").read_text())
    for name in ("original", "transformers", "llama.cpp")
}
DIFFERENT = {
    # Its GGUF conversion leaves out the cut at digits, so that it cuts spaces before them wrongly.
    ("transformers", "spaces_then_digit"),
    ("transformers", "other_digits"),
    ("transformers", "random"),
    # It drops bytes without a token after merging, `tokenizers` (the model's own) before it.
    ("llama.cpp", "lost_byte"),
}


@pytest.fixture(scope="module")
def tokenizer(smollm2_path: Path) -> BytePairTokenizer:
    return from_gguf(open_gguf(smollm2_path).metadata)


def digest(rows: list[list[int]]) -> dict[str, Any]:
    content = json.dumps(rows, separators=(",", ":")).encode()
    return {"tokens": sum(map(len, rows)), "sha256": hashlib.sha256(content).hexdigest()}


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("case", CASES)
def test_tokens_equal_the_reference(
    tokenizer: BytePairTokenizer, reference: str, case: str
) -> None:
    same = tokenizer.encode(CASES[case]) == REFERENCES[reference]["cases"][case]
    assert same == ((reference, case) not in DIFFERENT)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("case", LONG)
def test_tokens_of_rows_of_10000_characters(
    tokenizer: BytePairTokenizer, reference: str, case: str
) -> None:
    assert len(LONG[case]) == 10_000
    assert digest([tokenizer.encode(LONG[case])]) == REFERENCES[reference]["long"][case]


@pytest.mark.parametrize("reference", REFERENCES)
def test_tokens_of_random_texts(tokenizer: BytePairTokenizer, reference: str) -> None:
    texts = random_texts()
    tokens, lengths = tokenizer.encode_batch(texts)
    rows, at = [], 0
    for length in lengths.tolist():
        rows.append(tokens[at : at + length].tolist())
        at += length
    same = digest(rows) == REFERENCES[reference]["random"]
    assert same == ((reference, "random") not in DIFFERENT)


def test_no_text_becomes_a_control_token(tokenizer: BytePairTokenizer) -> None:
    controls = {tokenizer.control(name) for name in ("<|endoftext|>", "<|im_start|>", "<|im_end|>")}
    assert controls == {0, 1, 2}
    tokens, _ = tokenizer.encode_batch([*CASES.values(), *random_texts()])
    assert tokens.min() > 16  # ids 0 to 16 are SmolLM2's control tokens


def test_text_comes_back(tokenizer: BytePairTokenizer) -> None:
    lossy = {"bytes_without_token", "lost_byte"}
    for name, text in CASES.items():
        if name not in lossy:
            assert tokenizer.decode(tokenizer.encode(text)) == text, name


def test_control_tokens_are_left_out_of_text(tokenizer: BytePairTokenizer) -> None:
    hello = tokenizer.encode("hello")
    assert tokenizer.decode([1, *hello, 2, 0]) == "hello"
    assert tokenizer.end_of_text == 0
    assert tokenizer.vocabulary_size == 49_152
