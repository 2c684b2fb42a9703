"""What tokenizers do whatever the model: control tokens, batches, bad text, broken metadata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gguf.constants import TokenType

from sqlax.errors import CorruptModelError, DataError, ModelError
from sqlax.models.tokenizer import Tokenizer
from sqlax.models.tokenizers import from_file, from_gguf
from tests.models.tokenizers.small import byte_level, sentencepiece

SPACE = "\u2581"


def joined_bytes(tokenizer: Tokenizer, text: str) -> bytes:
    spelled = tokenizer.token_bytes()
    return b"".join(spelled[token] or b"?" for token in tokenizer.encode(text))


def words(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.decode([token]) for token in tokenizer.encode(text)]


@pytest.mark.parametrize(
    ("pre", "expected"),
    [
        ("smollm", ["1", "1", "1", "1", "1"]),
        ("gpt-2", ["11", "11", "1"]),
        ("llama-bpe", ["11", "1", "11"]),
        ("qwen2", ["1", "1", "1", "1", "1"]),
        ("default", ["11", "1", "11"]),
    ],
)
def test_digits_are_cut_as_the_model_does(pre: str, expected: list[str]) -> None:
    tokenizer = from_gguf(byte_level(pre, ("1 1",)))
    assert words(tokenizer, "11111") == expected


def test_markers_in_text_are_spelled_out() -> None:
    merges = ("< |", "| >", "i m", "im _", "im_ s", "im_s t", "im_st a", "im_sta r", "im_star t")
    tokenizer = from_gguf(byte_level("gpt-2", merges))
    text = "<|im_start|>x<|endoftext|>"
    tokens = tokenizer.encode(text)
    assert tokenizer.control("<|im_start|>") not in tokens
    assert tokenizer.end_of_text not in tokens
    assert tokenizer.decode(tokens) == text


def test_marker_given_as_a_users_word_is_a_control_token() -> None:
    metadata = byte_level()
    tokens, kinds = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    metadata["tokenizer.ggml.tokens"] = [*tokens, "<|tool|>", "<tool>"]
    metadata["tokenizer.ggml.token_type"] = [*kinds, *[int(TokenType.USER_DEFINED)] * 2]
    tokenizer = from_gguf(metadata)
    assert tokenizer.control("<|tool|>") == len(tokens)
    assert tokenizer.control("<|tool|>") not in tokenizer.encode("a<|tool|>b")
    assert tokenizer.encode("a<tool>b")[1:-1] == [len(tokens) + 1]


def test_unknown_control_token_names_those_that_exist() -> None:
    with pytest.raises(KeyError, match=r"<\|im_end\|>.*<\|endoftext\|>, <\|im_start\|>"):
        from_gguf(byte_level()).control("<|im_end|>")


def test_batch_is_flat_with_lengths() -> None:
    tokenizer = from_gguf(byte_level())
    texts = ["ab", "", "c", " \u00e9"]
    tokens, lengths = tokenizer.encode_batch(texts)
    assert tokens.dtype == lengths.dtype == np.int32
    assert lengths.tolist() == [2, 0, 1, 3]
    assert tokens.tolist() == [token for text in texts for token in tokenizer.encode(text)]
    assert [part.size for part in tokenizer.encode_batch([])] == [0, 0]


def test_batch_longer_than_a_chunk() -> None:
    tokenizer = from_gguf(byte_level())
    tokens, lengths = tokenizer.encode_batch(["ab"] * 10_000)
    assert tokens.tolist() == tokenizer.encode("ab") * 10_000
    assert set(lengths.tolist()) == {2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\ud800b", r"text number 5001 .* lone surrogate U\+D800 at character 1"),
        (None, "text number 5001 is of type NoneType, expected str"),
        (("a", "b"), "text number 5001 is of type tuple, expected str"),
        (b"a", "text number 5001 is of type bytes, expected str"),
    ],
    ids=["surrogate", "none", "pair", "bytes"],
)
def test_text_that_is_no_text(text: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        from_gguf(byte_level()).encode_batch(["fine"] * 5001 + [text])


def test_sentencepiece_merges_the_best_pair_first_and_falls_back_to_bytes() -> None:
    pieces = (SPACE + "ab", SPACE + "a", "bc", "ab", SPACE, "a", "b", "c", "<", "s", ">", "<s")
    tokenizer = from_gguf(sentencepiece(pieces))
    ids = {piece: 259 + rank for rank, piece in enumerate(pieces)}
    assert tokenizer.encode("abc") == [ids[SPACE + "ab"], ids["c"]]
    assert tokenizer.encode("\u00e9") == [ids[SPACE], 3 + 0xC3, 3 + 0xA9]
    assert tokenizer.encode("<s>") == [ids[SPACE], ids["<s"], ids[">"]]
    assert tokenizer.decode(tokenizer.encode("abc \u00e9 <s>")) == "abc \u00e9 <s>"
    assert tokenizer.end_of_text == 2


@pytest.mark.parametrize(
    ("metadata", "error", "message"),
    [
        ({}, CorruptModelError, "tokenizer.ggml.model is missing"),
        (byte_level(model="bert"), ModelError, "'bert'; sqlax knows 'gpt2' and 'llama'"),
        (byte_level(tokens="abc"), CorruptModelError, "tokens is a str, expected a list"),
        (byte_level("wordy"), ModelError, "unknown pre-tokenizer 'wordy'.*smollm"),
        (byte_level(token_type=[1]), CorruptModelError, "1 entries.*258 tokens"),
        (byte_level(merges=("a bc",)), CorruptModelError, "merges do not fit"),
        (
            sentencepiece(("a",), scores=[0.0]),
            CorruptModelError,
            "1 entries.*260 tokens",
        ),
    ],
    ids=["empty", "kind", "type", "pre", "types", "merges", "scores"],
)
def test_broken_metadata(metadata: dict[str, Any], error: type[ModelError], message: str) -> None:
    with pytest.raises(error, match=message):
        from_gguf(metadata)


def tokenizer_json(**changes: Any) -> dict[str, Any]:
    special = {"id": 3, "content": "<|endoftext|>", "special": True, "normalized": False}
    flags = {"single_word": False, "lstrip": False, "rstrip": False}
    vocabulary = {"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}
    model = {"type": "BPE", "vocab": vocabulary, "merges": [["a", "b"]]}
    return {"version": "1.0", "model": model, "added_tokens": [special | flags]} | changes


def test_tokenizer_json(tmp_path: Path) -> None:
    template = {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<|endoftext|>", "type_id": 0}}],
        "pair": [],
        "special_tokens": {
            "<|endoftext|>": {"id": "<|endoftext|>", "ids": [3], "tokens": ["<|endoftext|>"]}
        },
    }
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(tokenizer_json(post_processor=template)))
    tokenizer = from_file(path)
    assert tokenizer.encode("abba") == [2, 1, 0]
    assert 3 not in tokenizer.encode("<|endoftext|>")
    assert tokenizer.end_of_text == tokenizer.control("<|endoftext|>") == 3
    assert tokenizer.vocabulary_size == 4


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        ("{", CorruptModelError, "not valid JSON"),
        (json.dumps(tokenizer_json(model={"type": "Unigram"})), ModelError, "Unigram"),
        (
            json.dumps(tokenizer_json(pre_tokenizer={"type": "?"})),
            CorruptModelError,
            "not a usable",
        ),
    ],
    ids=["json", "kind", "content"],
)
def test_broken_tokenizer_json(
    tmp_path: Path, content: str, error: type[ModelError], message: str
) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(content)
    with pytest.raises(error, match=message):
        from_file(path)


def test_missing_tokenizer_json(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        from_file(tmp_path / "tokenizer.json")


@pytest.mark.parametrize(
    "text", ["ab a\n\t\0", "w\u00f6rld \U0001f642 \u65e5\u672c", "\u00ad\u0100"]
)
def test_the_bytes_of_the_tokens_are_the_bytes_of_the_text(text: str) -> None:
    assert joined_bytes(from_gguf(byte_level("gpt-2", ("a b",))), text) == text.encode()
    pieces = sentencepiece((SPACE, SPACE + "a", "ab"))
    assert joined_bytes(from_gguf(pieces), text) == f" {text}".encode()


def test_control_tokens_have_no_bytes() -> None:
    for tokenizer in (from_gguf(byte_level()), from_gguf(sentencepiece((SPACE,)))):
        spelled = tokenizer.token_bytes()
        assert len(spelled) == tokenizer.vocabulary_size
        assert spelled[tokenizer.end_of_text] is None
        assert sum(token is None for token in spelled) in (2, 3)


def test_a_users_word_stands_for_its_text() -> None:
    metadata = byte_level()
    tokens, kinds = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    metadata["tokenizer.ggml.tokens"] = [*tokens, "a b"]
    metadata["tokenizer.ggml.token_type"] = [*kinds, int(TokenType.USER_DEFINED)]
    assert from_gguf(metadata).token_bytes()[-1] == b"a b"
