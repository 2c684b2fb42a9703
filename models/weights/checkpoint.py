"""What every weight format is read into: a config, lazily read tensors and an identity."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy.typing as npt

from sqlax.models.llama.config import LlamaConfig

Tensor: TypeAlias = npt.NDArray[Any]
Shape: TypeAlias = tuple[int, ...]

HASH_CHUNK_BYTES = 1 << 20


class LazyTensors(Mapping[str, Tensor]):
    """Tensors by name; each look-up makes one of them anew, by reading or from others."""

    def __init__(self, readers: Mapping[str, Callable[[], Tensor]]) -> None:
        self._readers = dict(readers)

    def __getitem__(self, name: str) -> Tensor:
        """The tensor as its reader gives it."""
        return self._readers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


@dataclass(frozen=True)
class Checkpoint:
    """A model on disk, its header read and checked, its tensors not yet read.

    Attributes:
        config: sizes and options of the decoder.
        tensors: Hugging Face names and layouts (rotate-half rope, `[out, in]` matrices).
        identity: `sha256:` of all weight files; it changes when a weight does.
    """

    config: LlamaConfig
    tensors: Mapping[str, Tensor]
    identity: str


def identity_of(files: list[Path]) -> str:
    """The SHA-256 over the bytes of `files`, one after another."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while chunk := stream.read(HASH_CHUNK_BYTES):
                digest.update(chunk)
    return f"sha256:{digest.hexdigest()}"
