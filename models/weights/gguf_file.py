"""The container format GGUF: metadata and tensor positions, read with every length checked.

The `gguf` package's reader makes a NumPy view of each of the hundred thousand strings of a
tokenizer (2.5 s for SmolLM2) and meets truncated files with whatever error comes first. This
reader takes 0.1 s and says what is wrong; types, block sizes and dequantisation are the package's.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf.constants import (
    GGML_QUANT_SIZES,
    GGUF_DEFAULT_ALIGNMENT,
    GGMLQuantizationType,
    GGUFValueType,
)
from gguf.quants import dequantize

from sqlax.errors import CorruptModelError, ModelError

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_DIMENSIONS = 4
SCALARS = {
    GGUFValueType.UINT8: "B",
    GGUFValueType.INT8: "b",
    GGUFValueType.UINT16: "H",
    GGUFValueType.INT16: "h",
    GGUFValueType.UINT32: "I",
    GGUFValueType.INT32: "i",
    GGUFValueType.FLOAT32: "f",
    GGUFValueType.BOOL: "?",
    GGUFValueType.UINT64: "Q",
    GGUFValueType.INT64: "q",
    GGUFValueType.FLOAT64: "d",
}


@dataclass(frozen=True)
class TensorInfo:
    """Where one tensor lies.

    Attributes:
        shape: rows first, as NumPy has it (the file stores it the other way round).
        kind: how its numbers are stored.
        start: first byte, from the start of the file.
        size: bytes.
    """

    shape: tuple[int, ...]
    kind: GGMLQuantizationType
    start: int
    size: int


@dataclass(frozen=True)
class GgufFile:
    """A GGUF file, memory-mapped, with its header read.

    Attributes:
        path: where it is.
        metadata: key to number, string, bool or list of them.
        tensors: name to position.
    """

    path: Path
    metadata: dict[str, Any]
    tensors: dict[str, TensorInfo]
    _bytes: mmap.mmap

    def read(self, name: str) -> npt.NDArray[np.float32]:
        """The tensor as float32, dequantised."""
        info = self.tensors[name]
        raw = np.frombuffer(self._bytes, np.uint8, info.size, info.start)
        try:
            return dequantize(raw, info.kind).astype(np.float32, copy=False).reshape(info.shape)
        except NotImplementedError:
            raise ModelError(
                f"{self.path}: tensor {name} is stored as {info.kind.name}, "
                "which the gguf package cannot dequantise"
            ) from None


def open_gguf(path: Path) -> GgufFile:
    """Maps a GGUF file and reads its header; CorruptModelError says what does not fit."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) if size else None
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}") from error
    if data is None:
        raise CorruptModelError(f"{path} is empty, expected a GGUF file")
    header = _Header(path, data)
    tensor_count, metadata = header.preamble()
    alignment = metadata.get("general.alignment", GGUF_DEFAULT_ALIGNMENT)
    tensors = header.tensors(tensor_count, alignment)
    return GgufFile(path, metadata, tensors, data)


class _Header:
    """A cursor over the header that never reads past the end of the file."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self.path = path
        self.data = data
        self.at = 0

    def corrupt(self, what: str) -> CorruptModelError:
        return CorruptModelError(f"{self.path}: {what}")

    def take(self, size: int, what: str) -> int:
        """Moves over `size` bytes and returns where they start."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise self.corrupt(
                f"truncated: {what} should take {size} bytes at byte {start}, "
                f"but the file ends at byte {len(self.data)}"
            )
        return start

    def number(self, code: str, what: str) -> Any:
        return struct.unpack_from(f"<{code}", self.data, self.take(struct.calcsize(code), what))[0]

    def text(self, what: str) -> str:
        size = self.number("Q", what)
        start = self.take(size, what)
        try:
            return self.data[start : start + size].decode()
        except UnicodeDecodeError as error:
            raise self.corrupt(f"{what} at byte {start} is not UTF-8: {error.reason}") from error

    def preamble(self) -> tuple[int, dict[str, Any]]:
        """Magic, version and metadata; returns the number of tensors and the metadata."""
        magic = self.data[:4]
        if magic != MAGIC:
            raise self.corrupt(f"not a GGUF file: it starts with {magic!r}, expected {MAGIC!r}")
        self.at = len(MAGIC)
        version = self.number("I", "the version")
        if version not in VERSIONS:
            raise self.corrupt(f"GGUF version {version}, expected one of {VERSIONS}")
        tensor_count, key_count = self.number("Q", "a count"), self.number("Q", "a count")
        return tensor_count, dict(self.entry() for _ in range(key_count))

    def entry(self) -> tuple[str, Any]:
        key = self.text("a metadata key")
        return key, self.value(self.value_type(key), key)

    def value_type(self, key: str) -> GGUFValueType:
        code = self.number("I", f"the type of {key}")
        try:
            return GGUFValueType(code)
        except ValueError:
            raise self.corrupt(f"metadata key {key} has unknown type {code}") from None

    def value(self, kind: GGUFValueType, key: str) -> Any:
        if kind is GGUFValueType.STRING:
            return self.text(key)
        if kind is GGUFValueType.ARRAY:
            return self.array(key)
        return self.number(SCALARS[kind], key)

    def array(self, key: str) -> list[Any]:
        kind, count = self.value_type(key), self.number("Q", key)
        if kind not in SCALARS:
            return [self.value(kind, key) for _ in range(count)]
        code = f"{count}{SCALARS[kind]}"
        size = count * struct.calcsize(f"<{SCALARS[kind]}")
        return list(struct.unpack_from(f"<{code}", self.data, self.take(size, key)))

    def tensors(self, count: int, alignment: int) -> dict[str, TensorInfo]:
        """The positions of all tensors; every one lies within the file."""
        infos = [self.tensor_info() for _ in range(count)]
        if not isinstance(alignment, int) or alignment <= 0:
            raise self.corrupt(f"general.alignment is {alignment!r}, expected a positive number")
        base = -(-self.at // alignment) * alignment
        placed = {}
        for name, info in infos:
            self.at = base + info.start
            start = self.take(info.size, f"tensor {name}")
            placed[name] = TensorInfo(info.shape, info.kind, start, info.size)
        return placed

    def tensor_info(self) -> tuple[str, TensorInfo]:
        """Name and position of one tensor, its start counted from the first tensor byte."""
        name = self.text("a tensor name")
        rank = self.number("I", name)
        if rank > MOST_DIMENSIONS:
            raise self.corrupt(f"tensor {name} has {rank} dimensions, expected at most 4")
        shape = tuple(self.number("Q", name) for _ in range(rank))[::-1]
        kind = self.quantisation(name)
        per_block, block_bytes = GGML_QUANT_SIZES[kind]
        if shape and shape[-1] % per_block:
            raise self.corrupt(f"tensor {name} of shape {shape} is not in blocks of {per_block}")
        size = int(np.prod(shape, dtype=object)) // per_block * block_bytes
        return name, TensorInfo(shape, kind, self.number("Q", name), size)

    def quantisation(self, name: str) -> GGMLQuantizationType:
        code = self.number("I", name)
        try:
            return GGMLQuantizationType(code)
        except ValueError:
            raise self.corrupt(f"tensor {name} has unknown quantisation {code}") from None
