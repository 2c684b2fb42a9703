"""From files to a model with its tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.language_model import LanguageModel
from sqlax.models.registry.load import load
from tests.models.tokenizers.small import byte_level
from tests.models.weights.small import CONFIG, random_tensors, write_directory, write_gguf


def write_tokenizer(folder: Path) -> None:
    """The tokenizer of `write_gguf` as a tokenizer.json."""
    metadata = byte_level(merges=("a b",))
    tokens = metadata["tokenizer.ggml.tokens"]
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    added = [{"id": i, "content": tokens[i], "special": True, **flags} for i in (0, 1)]
    split = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
    vocabulary = {token: i for i, token in enumerate(tokens)}
    content = {
        "version": "1.0",
        "model": {"type": "BPE", "vocab": vocabulary, "merges": ["a b"]},
        "pre_tokenizer": split | {"trim_offsets": False},
        "added_tokens": added,
    }
    (folder / "tokenizer.json").write_text(json.dumps(content))


def test_gguf_and_directory_give_the_same_model(tmp_path: Path) -> None:
    tensors = {  # numbers that bfloat16, in which the directory holds them, can express
        name: tensor.astype(ml_dtypes.bfloat16).astype(np.float32)
        for name, tensor in random_tensors().items()
    }
    folder = write_directory(tmp_path / "folder", tensors)
    write_tokenizer(folder)
    one = load(write_gguf(tmp_path / "m.gguf", tensors))
    other = load(folder)
    assert isinstance(one, LanguageModel)
    assert one.tokenizer.vocabulary_size == other.tokenizer.vocabulary_size == CONFIG.vocabulary
    assert jax.tree.all(jax.tree.map(jnp.array_equal, one.params, other.params))
    text = "abba a caf\u00e9 <|im_start|>"
    assert one.tokenizer.encode(text) == other.tokenizer.encode(text)
    assert one.tokenizer.decode(one.tokenizer.encode(text)) == text


def test_identity_names_weights_and_dtype(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", random_tensors())
    models = [load(path), load(path, "float32")]
    assert [model.params for model in models] != [None, None]
    assert {model.identity.rpartition(":")[2] for model in models} == {"bfloat16", "float32"}
    assert len({model.identity for model in models}) == 2


def test_unknown_dtype(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="unknown dtype 'int4'; there are bfloat16, float32"):
        load(tmp_path, "int4")


def test_tokenizer_larger_than_the_embedding(tmp_path: Path) -> None:
    metadata = byte_level(merges=("a b", "c d"))
    path = write_gguf(tmp_path / "m.gguf", random_tensors(), changes=metadata)
    with pytest.raises(CorruptModelError, match=r"tokenizer has 260 tokens.*only 259 rows"):
        load(path)


def test_broken_tokenizer_names_the_file(tmp_path: Path) -> None:
    changes = {"tokenizer.ggml.merges": None}
    path = write_gguf(tmp_path / "m.gguf", random_tensors(), changes=changes)
    with pytest.raises(CorruptModelError, match=r"m\.gguf: metadata key .*merges is missing"):
        load(path)
