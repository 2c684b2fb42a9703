"""The texts of the dictionary on the device."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from jaxtyping import Array, Int, UInt8

from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.relation import bucket
from sqlax.runtime.text.spelled import WORD_BYTES, word_of


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class DictionaryBytes:
    """The bytes of dictionary entries, in code order, which is byte order.

    Attributes:
        content: the bytes of all entries, padded.
        start: first byte of each entry, and the end of the last in all places behind; int32, or
            int64 where the bytes are many.
        count: number of entries, int32.
    """

    content: UInt8[Array, " content"]
    start: Int[Array, " starts"]
    count: Int[Array, ""]

    @classmethod
    def of(cls, dictionary: StringDictionary, codes: int) -> DictionaryBytes:
        """The bytes of a dictionary in NumPy arrays of power-of-two capacity. Cost: a copy.

        Args:
            dictionary: the strings of the run.
            codes: the dictionary's capacity.
        """
        flat, start = _buffers(dictionary.values)
        padded = np.zeros(bucket(len(flat)), np.uint8)
        padded[: len(flat)] = flat
        starts = np.full(codes + 1, len(flat), np.int64)
        starts[: len(start)] = start
        narrow = len(flat) <= np.iinfo(np.int32).max
        return cls(
            device_like(padded, np.uint8),
            device_like(starts, np.int32 if narrow else np.int64),
            device_like(len(dictionary), np.int32),
        )

    def word_at(self, number: Int[Array, ""], code: Int[Array, " texts"]) -> Int[Array, " texts"]:
        """The word of each entry that `Spelled.word_at` has of a text, int64. 9 gathers."""
        start = self.start.at[code].get(mode="clip")
        left = self.start.at[code + 1].get(mode="clip") - start - number * WORD_BYTES
        column = jnp.arange(WORD_BYTES, dtype=start.dtype)
        place = (start + number * WORD_BYTES)[:, None] + column
        read = self.content.at[place].get(mode="clip").astype(jnp.int32)
        return word_of(jnp.where(column < left[:, None], read, 0), left)


def _buffers(values: pa.Array) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The bytes of a large_string array, and the first byte of each value and of none behind."""
    if not len(values):
        return np.zeros(0, np.uint8), np.zeros(1, np.int64)
    _, offsets, data = values.buffers()
    start = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
    flat = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return flat[start[0] : start[-1]], start - start[0]
