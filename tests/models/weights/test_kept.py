"""Dequantised tensors on disk are those of the file, and a damaged copy is made anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import gguf
import ml_dtypes
import numpy as np
import pytest

from sqlax.models.weights.checkpoint import Checkpoint
from sqlax.models.weights.gguf import read_gguf
from sqlax.models.weights.kept import is_worth_keeping, kept
from tests.models.weights.small import CONFIG, random_tensors, write_gguf

DTYPES = (np.dtype(np.float32), np.dtype(ml_dtypes.bfloat16))


def quantised(folder: Path) -> Checkpoint:
    return read_gguf(
        write_gguf(folder / "m.gguf", random_tensors(), gguf.GGMLQuantizationType.Q4_1)
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_tensors_are_those_of_the_file(tmp_path: Path, dtype: np.dtype[np.float32]) -> None:
    checkpoint = quantised(tmp_path)
    for _ in range(2):  # made, then found
        found = kept(checkpoint, dtype, tmp_path / "weights").tensors
        assert set(found) == set(checkpoint.tensors)
        for name, tensor in checkpoint.tensors.items():
            kind = dtype if tensor.ndim == 2 else np.float32
            np.testing.assert_array_equal(found[name], tensor.astype(kind), strict=True)
    assert len(list((tmp_path / "weights").iterdir())) == 1


def test_a_damaged_copy_is_made_anew(tmp_path: Path) -> None:
    checkpoint, folder = quantised(tmp_path), tmp_path / "weights"
    kept(checkpoint, DTYPES[0], folder)
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    kept(checkpoint, DTYPES[0], folder)
    assert file.read_bytes() == whole


def test_where_nothing_can_be_written_the_file_itself_is_read(tmp_path: Path) -> None:
    checkpoint, folder = quantised(tmp_path), tmp_path / "weights"
    folder.write_text("not a folder")
    assert kept(checkpoint, DTYPES[0], folder) is checkpoint


def test_small_and_large_models_are_not_kept() -> None:
    assert not is_worth_keeping(CONFIG, DTYPES[0])
    large = replace(CONFIG, layers=32, width=4096, ffn_width=14336, vocabulary=128_000)
    assert not is_worth_keeping(large, DTYPES[1])
