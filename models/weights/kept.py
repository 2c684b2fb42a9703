"""Tensors as the decoder wants them, kept on disk: a later process maps them and copies nothing."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from tokenize import TokenError
from typing import Any

import ml_dtypes
import numpy as np
from numpy.lib.format import open_memmap

from sqlax.models.llama.config import LlamaConfig
from sqlax.models.weights.checkpoint import Tensor

LEAST_BYTES, MOST_BYTES = 1 << 24, 1 << 30
"""Smaller models are dequantised at once, and larger ones would take much of a disk."""
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def is_worth_keeping(config: LlamaConfig, dtype: np.dtype[Any]) -> bool:
    """Whether a model of this size is kept."""
    embeddings = (1 if config.tied_embeddings else 2) * config.vocabulary * config.width
    weights = config.flops_per_token // 2 + embeddings
    return LEAST_BYTES <= weights * dtype.itemsize <= MOST_BYTES


def kept(tensors: Mapping[str, Tensor], folder: Path) -> Mapping[str, Tensor]:
    """The same tensors mapped from the files of `folder`, which is made where it lacks.

    Args:
        tensors: by name; they are read only where the folder is not whole.
        folder: a `.npy` file for each, bfloat16 as its bits; the name tells one model from
            another. Where it cannot be written, `tensors` are given back.
    """
    found = _mapped(folder, tensors)
    if found is None:
        _write(folder, tensors)
        found = _mapped(folder, tensors)
    return tensors if found is None else found


def _mapped(folder: Path, tensors: Mapping[str, Tensor]) -> dict[str, Tensor] | None:
    """The folder's arrays, or None where one is missing, cut short or damaged."""
    try:
        return {name: _map(folder / f"{name}.npy") for name in tensors}
    except (OSError, ValueError, TokenError):
        return None


def _map(file: Path) -> Tensor:
    """The format has its numbers begin at a multiple of 64 bytes, as zero-copy arrays must."""
    array: Tensor = open_memmap(file, mode="r")
    return np.asarray(array.view(BFLOAT16) if array.dtype == np.uint16 else array)


def _write(folder: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write all tensors, or nothing where that is not possible."""
    with contextlib.suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            for name, tensor in tensors.items():
                np.save(made / f"{name}.npy", _storable(tensor), allow_pickle=False)
            if _mapped(folder, tensors) is None:  # another process may have been faster
                _put(made, folder, Path(scratch) / "old")


def _put(made: Path, folder: Path, old: Path) -> None:
    """`made` in the place of `folder`."""
    if folder.exists():
        os.replace(folder, old)
    os.replace(made, folder)


def _storable(tensor: Tensor) -> Tensor:
    return tensor.view(np.uint16) if tensor.dtype == BFLOAT16 else tensor
