"""Hugging Face directories: configs, shards, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.llama.config import RopeScaling
from sqlax.models.weights.safetensors import read_directory
from tests.models.weights.small import CONFIG, random_tensors, write_directory

LLAMA3 = {
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


@pytest.mark.parametrize("shards", [1, 3])
def test_tensors_come_back_as_stored(tmp_path: Path, shards: int) -> None:
    tensors = random_tensors()
    checkpoint = read_directory(write_directory(tmp_path, tensors, shards))
    assert checkpoint.config == CONFIG
    assert set(checkpoint.tensors) == set(tensors)
    for name, tensor in tensors.items():
        assert checkpoint.tensors[name].dtype == ml_dtypes.bfloat16
        assert np.array_equal(checkpoint.tensors[name], tensor.astype(ml_dtypes.bfloat16))


@pytest.mark.parametrize(
    "changes",
    [
        {"rope_theta": 500_000.0, "rope_scaling": {"rope_type": "llama3", **LLAMA3}},
        {"rope_parameters": {"rope_type": "llama3", "rope_theta": 500_000.0, **LLAMA3}},
    ],
    ids=["transformers 4", "transformers 5"],
)
def test_rope_settings(tmp_path: Path, changes: dict[str, Any]) -> None:
    config = read_directory(write_directory(tmp_path, random_tensors(), **changes)).config
    assert config.rope_theta == 500_000.0
    assert config.rope_scaling == RopeScaling(8.0, 1.0, 4.0, 8192)


def test_qwen2_has_biases(tmp_path: Path) -> None:
    config = replace(CONFIG, attention_bias=True)
    path = write_directory(
        tmp_path,
        random_tensors(config),
        model_type="qwen2",
        sliding_window=4096,
        use_sliding_window=False,
    )
    assert read_directory(path).config == config


def test_identity_follows_weights_and_config(tmp_path: Path) -> None:
    tensors = random_tensors()
    first = read_directory(write_directory(tmp_path, tensors)).identity
    assert first == read_directory(write_directory(tmp_path, tensors)).identity
    assert first != read_directory(write_directory(tmp_path, tensors, rope_theta=5.0)).identity


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "mamba"}, "'mamba'; sqlax can run llama, mistral, qwen2"),
        ({"hidden_act": "gelu"}, "activation 'gelu'"),
        ({"model_type": "mistral", "sliding_window": 4096}, "sliding-window attention"),
        ({"attention_bias": True}, "attention biases"),
        ({"quantization_config": {"bits": 4}}, "quantised weights"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope scaling 'linear'"),
        ({"hidden_size": None}, "hidden_size is missing"),
        ({"hidden_size": "wide"}, "hidden_size is 'wide', expected a positive number"),
        ({"intermediate_size": 95}, r"mlp.* has shape .*, expected"),
    ],
    ids=["kind", "activation", "window", "bias", "quantised", "rope", "missing", "text", "shape"],
)
def test_configs_that_cannot_be_run(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write_directory(tmp_path, random_tensors(), **changes)
    with pytest.raises(ModelError, match=message):
        read_directory(path)


def test_pickle_is_refused(tmp_path: Path) -> None:
    path = write_directory(tmp_path, random_tensors())
    (path / "model.safetensors").rename(path / "pytorch_model.bin")
    with pytest.raises(ModelError, match=r"only pytorch_model\.bin.*can run any code"):
        read_directory(path)
    (path / "pytorch_model.bin").unlink()
    with pytest.raises(ModelError, match=r"holds no \*\.safetensors"):
        read_directory(path)


def test_damaged_weights(tmp_path: Path) -> None:
    path = write_directory(tmp_path, random_tensors(), shards=2)
    file = path / "part-1.safetensors"
    content = file.read_bytes()
    file.write_bytes(content[:-9])
    with pytest.raises(CorruptModelError, match=r"part-1\.safetensors is damaged or truncated"):
        read_directory(path)
    file.unlink()
    with pytest.raises(CorruptModelError, match=r"2 weight files, of which 1 are missing: part-1"):
        read_directory(path)


def test_damaged_config(tmp_path: Path) -> None:
    path = write_directory(tmp_path, random_tensors())
    (path / "config.json").write_text("{")
    with pytest.raises(CorruptModelError, match="not valid JSON"):
        read_directory(path)
    (path / "config.json").write_text(json.dumps([1]))
    with pytest.raises(CorruptModelError, match="holds a list, expected an object"):
        read_directory(path)
    (path / "config.json").unlink()
    with pytest.raises(ModelError, match=r"config\.json is missing"):
        read_directory(path)
