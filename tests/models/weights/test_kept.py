"""Tensors on disk are those of the file, are not copied, and a damaged copy is made anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import gguf
import jax
import ml_dtypes
import numpy as np
import pytest

from sqlax.models.llama.fuse import fused
from sqlax.models.llama.load import assemble
from sqlax.models.weights.checkpoint import Tensor
from sqlax.models.weights.gguf import read_gguf
from sqlax.models.weights.kept import is_worth_keeping, kept
from tests.models.weights.small import CONFIG, random_tensors, write_gguf

DTYPES = (np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16))


def quantised(folder: Path, dtype: np.dtype[np.float32] = DTYPES[0]) -> Mapping[str, Tensor]:
    kind = gguf.GGMLQuantizationType.Q4_1
    checkpoint = read_gguf(write_gguf(folder / "m.gguf", random_tensors(), kind))
    return fused(checkpoint.config, checkpoint.tensors, dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_are_those_of_the_file(tmp_path: Path, dtype: np.dtype[np.float32]) -> None:
    tensors = quantised(tmp_path, dtype)
    for _ in range(2):  # made, then found
        found = kept(tensors, tmp_path / "weights" / "model")
        assert set(found) == set(tensors)
        for name, tensor in tensors.items():
            assert tensor.dtype == (dtype if tensor.ndim == 2 else np.float32)
            np.testing.assert_array_equal(found[name], tensor, strict=True)
    assert [x.name for x in (tmp_path / "weights").iterdir()] == ["model"]


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="other devices have their own memory")
def test_what_is_mapped_is_not_copied(tmp_path: Path) -> None:
    found = kept(quantised(tmp_path, DTYPES[1]), tmp_path / "weights")
    decoder = assemble(CONFIG, found)
    ffn = decoder.last.ffn
    for name, array in {"gate_up": ffn.gate_up, "down": ffn.down}.items():
        mapped = found[f"layers.{CONFIG.layers - 1}.{name}"]
        assert array[...].unsafe_buffer_pointer() == mapped.ctypes.data
    assert decoder.embedding[...].unsafe_buffer_pointer() == found["embedding"].ctypes.data


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:20],
        lambda whole: b"",
        lambda whole: b"PK\x03\x04" + whole[4:],
        lambda whole: whole[:10] + b"{" * 100 + whole[110:],
    ],
    ids=["half", "half a header", "empty", "an archive", "no header"],
)
def test_a_damaged_copy_is_made_anew(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    tensors, folder = quantised(tmp_path), tmp_path / "weights"
    kept(tensors, folder)
    file = folder / "embedding.npy"
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    kept(tensors, folder)
    assert file.read_bytes() == whole


def test_objects_are_not_unpickled(tmp_path: Path) -> None:
    tensors, folder = quantised(tmp_path), tmp_path / "weights"
    kept(tensors, folder)
    np.save(folder / "embedding.npy", np.array([{"a": 1}], object), allow_pickle=True)
    np.testing.assert_array_equal(kept(tensors, folder)["embedding"], tensors["embedding"])


def test_where_nothing_can_be_written_the_file_itself_is_read(tmp_path: Path) -> None:
    tensors, folder = quantised(tmp_path), tmp_path / "weights"
    folder.write_text("not a folder")
    assert kept(tensors, folder / "model") is tensors


def test_small_and_large_models_are_not_kept() -> None:
    assert not is_worth_keeping(CONFIG, DTYPES[0])
    large = replace(CONFIG, layers=32, width=4096, ffn_width=14336, vocabulary=128_000)
    assert not is_worth_keeping(large, DTYPES[1])
