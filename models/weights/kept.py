"""Dequantised tensors kept on disk: a later process maps them in place of making them again."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from sqlax.models.llama.config import LlamaConfig
from sqlax.models.weights.checkpoint import Checkpoint, LazyTensors, Tensor
from sqlax.models.weights.safetensors import read_tensor

LEAST_BYTES, MOST_BYTES = 1 << 24, 1 << 30
"""Smaller models are dequantised at once, and larger ones would take much of a disk."""


def is_worth_keeping(config: LlamaConfig, dtype: np.dtype[Any]) -> bool:
    """Whether a model of this size is kept."""
    embeddings = (1 if config.tied_embeddings else 2) * config.vocabulary * config.width
    weights = config.flops_per_token // 2 + embeddings
    return LEAST_BYTES <= weights * dtype.itemsize <= MOST_BYTES


def kept(checkpoint: Checkpoint, dtype: np.dtype[Any], folder: Path) -> Checkpoint:
    """The same checkpoint with its tensors from a file in `folder`, which is made where it lacks.

    Args:
        checkpoint: quantised weights; its identity names the file.
        dtype: of the matrices; vectors stay float32.
        folder: of such files; where it cannot be written, `checkpoint` itself is given back.
    """
    names = list(checkpoint.tensors)
    file = folder / f"{checkpoint.identity.replace(':', '-')}-{dtype.name}.safetensors"
    if not _holds(file, names) and not _write(file, checkpoint.tensors, dtype):
        return checkpoint
    return replace(
        checkpoint, tensors=LazyTensors({n: partial(read_tensor, file, n) for n in names})
    )


def _holds(file: Path, names: list[str]) -> bool:
    """Whether the file is whole and has these tensors."""
    try:
        with safe_open(file, framework="np") as opened:
            return set(opened.keys()) == set(names)
    except (SafetensorError, OSError):
        return False


def _write(file: Path, tensors: Mapping[str, Tensor], dtype: np.dtype[Any]) -> bool:
    """Write all tensors, or nothing; whether it was possible."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            made = Path(scratch) / file.name
            save_file({name: _as_kept(tensors[name], dtype) for name in tensors}, made)
            os.replace(made, file)
    except OSError:
        return False
    return True


def _as_kept(tensor: Tensor, dtype: np.dtype[Any]) -> Tensor:
    kind = dtype if tensor.ndim > 1 else np.dtype(np.float32)
    return np.ascontiguousarray(tensor.astype(kind, copy=False))
