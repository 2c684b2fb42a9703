"""GGUF files: values, names and layout as in the Hugging Face checkpoint, and damaged files."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import pytest

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.llama.config import RopeScaling
from sqlax.models.weights.gguf import llama3_factors, read_gguf
from tests.models.weights.small import CONFIG, Tensors, random_tensors, write_gguf

Kind = gguf.GGMLQuantizationType
QUANTISED = [Kind.F16, Kind.BF16, Kind.Q8_0, Kind.Q4_0, Kind.Q4_1, Kind.Q5_0, Kind.Q5_1]


def assert_equal(found: Any, tensors: Tensors, atol: float = 0.0) -> None:
    assert set(found) == set(tensors)
    for name, tensor in tensors.items():
        assert found[name].dtype == np.float32
        np.testing.assert_allclose(found[name], tensor, rtol=0, atol=atol, err_msg=name)


@pytest.mark.parametrize("tied", [True, False])
def test_tensors_and_config_come_back(tmp_path: Path, tied: bool) -> None:
    config = replace(CONFIG, tied_embeddings=tied)
    tensors = random_tensors(config)
    checkpoint = read_gguf(write_gguf(tmp_path / "m.gguf", tensors))
    assert checkpoint.config == config
    assert_equal(checkpoint.tensors, tensors)


def test_qwen2_has_biases_and_keeps_its_row_order(tmp_path: Path) -> None:
    config = replace(CONFIG, attention_bias=True)
    tensors = random_tensors(config)
    checkpoint = read_gguf(write_gguf(tmp_path / "m.gguf", tensors, architecture="qwen2"))
    assert checkpoint.config == config
    assert_equal(checkpoint.tensors, tensors)


@pytest.mark.parametrize("kind", QUANTISED, ids=lambda kind: kind.name)
def test_quantised_tensors(tmp_path: Path, kind: Kind) -> None:
    tensors = random_tensors()
    found = read_gguf(write_gguf(tmp_path / "m.gguf", tensors, kind)).tensors
    assert_equal(found, tensors, atol=0.4)  # 4 bits over a block of 32 normal numbers


def test_llama3_rope_scaling(tmp_path: Path) -> None:
    scaling = RopeScaling(8.0, 1.0, 4.0, 8192)
    factors = llama3_factors(scaling, 500_000.0, CONFIG.head_dim).astype(np.float32)
    tensors = random_tensors() | {"rope_freqs.weight": factors}
    path = write_gguf(tmp_path / "m.gguf", tensors, changes={"llama.rope.freq_base": 500_000.0})
    assert read_gguf(path).config.rope_scaling == scaling
    tensors["rope_freqs.weight"] = factors * 1.5
    with pytest.raises(ModelError, match="not Llama 3's rope scaling"):
        read_gguf(write_gguf(path, tensors))


def test_identity_follows_the_bytes(tmp_path: Path) -> None:
    tensors = random_tensors()
    first = read_gguf(write_gguf(tmp_path / "a.gguf", tensors)).identity
    assert first == read_gguf(write_gguf(tmp_path / "b.gguf", tensors)).identity
    tensors["model.norm.weight"][0] += 1
    assert first != read_gguf(write_gguf(tmp_path / "c.gguf", tensors)).identity


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"general.architecture": "mamba"}, "architecture 'mamba'; sqlax can run llama, qwen2"),
        ({"llama.expert_count": 8}, "has 8 experts"),
        ({"llama.rope.scaling.type": "yarn"}, "rope scaling of type 'yarn'"),
        ({"llama.rope.dimension_count": 8}, "rotary positions on 8 of 16 dimensions"),
        ({"llama.attention.head_count": [4, 4]}, r"head_count is \[4, 4\], expected a positive"),
        ({"llama.attention.head_count": 0}, "head_count is 0, expected a positive"),
    ],
    ids=["architecture", "experts", "yarn", "partial rope", "by layer", "zero"],
)
def test_models_that_cannot_be_run(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write_gguf(tmp_path / "m.gguf", random_tensors(), changes=changes)
    with pytest.raises(ModelError, match=message):
        read_gguf(path)


def test_missing_key_names_it_and_those_that_exist(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", random_tensors(), changes={"llama.block_count": None})
    with pytest.raises(CorruptModelError, match=r"llama\.block_count is missing.*llama\.context_"):
        read_gguf(path)


def test_missing_wrong_and_unused_tensors(tmp_path: Path) -> None:
    name = "model.layers.1.mlp.up_proj.weight"
    tensors = random_tensors()
    up = tensors.pop(name)
    with pytest.raises(CorruptModelError, match=rf"1 of 20 tensors are missing, such as {name}"):
        read_gguf(write_gguf(tmp_path / "missing.gguf", tensors))
    with pytest.raises(CorruptModelError, match=r"shape \(64, 96\), expected \(96, 64\)"):
        read_gguf(write_gguf(tmp_path / "shape.gguf", tensors | {name: up.T.copy()}))
    extra = {name: up, "model.layers.0.self_attn.o_proj.bias": up[0]}
    with pytest.raises(ModelError, match=r"does not use.*o_proj\.bias"):
        read_gguf(write_gguf(tmp_path / "extra.gguf", tensors | extra))


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.1, 0.3, 0.9, 0.999])
def test_truncated_file(tmp_path: Path, share: float) -> None:
    path = write_gguf(tmp_path / "m.gguf", random_tensors())
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CorruptModelError, match=r"m\.gguf.* truncated: .* the file ends at byte"):
        read_gguf(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty, expected a GGUF file"),
        (b"PK\x03\x04 a zip", r"not a GGUF file: it starts with b'PK\\x03\\x04', expected b'GGUF'"),
        (b"GGUF" + struct.pack("<IQQ", 9, 0, 0), r"GGUF version 9, expected one of \(2, 3\)"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 60), "truncated"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 62), "truncated"),
        (b"GGUF" + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"k", 99), "key k has unknown type 99"),
        (b"GGUF" + struct.pack("<IQQQ1sI", 3, 0, 1, 1, b"\xff", 4), "not UTF-8"),
        (
            b"GGUF" + struct.pack("<IQQQ1sIIQ", 3, 0, 1, 1, b"k", 9, 8, 1 << 50),
            "truncated",
        ),
        (b"GGUF" + struct.pack("<IQQQ1sII", 3, 1, 0, 1, b"t", 1000, 0), "t has 1000 dimensions"),
        (b"GGUF" + struct.pack("<IQQQ1sIQIQ", 3, 1, 0, 1, b"t", 1, 8, 777, 0), "quantisation 777"),
        (b"GGUF" + struct.pack("<IQQQ1sIQIQ", 3, 1, 0, 1, b"t", 1, 8, 2, 0), "in blocks of 32"),
    ],
    ids=[
        "empty",
        "magic",
        "version",
        "keys",
        "key-length",
        "type",
        "utf8",
        "array",
        "rank",
        "kind",
        "block",
    ],
)
def test_damaged_header(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(CorruptModelError, match=message):
        read_gguf(path)


def test_damaged_bytes_never_end_in_another_error(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", random_tensors())
    content = bytearray(path.read_bytes())
    random, refused = np.random.default_rng(0), 0
    for _ in range(40):
        at = int(random.integers(0, 12_000))
        old, content[at] = content[at], int(random.integers(0, 256))
        path.write_bytes(content)
        try:
            read_gguf(path)
        except ModelError:
            refused += 1
        content[at] = old
    assert 0 < refused < 40


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"m\.gguf cannot be read: No such file"):
        read_gguf(tmp_path / "m.gguf")
