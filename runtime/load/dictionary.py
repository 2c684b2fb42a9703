"""One order-preserving dictionary for all strings of a query."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sqlax.errors import DataError


@dataclass(frozen=True)
class StringDictionary:
    """Distinct strings in byte order: comparing codes compares strings as DuckDB does."""

    values: pa.Array

    @classmethod
    def of(
        cls, columns: Iterable[pa.Array | pa.ChunkedArray], texts: Iterable[str]
    ) -> StringDictionary:
        """The dictionary of all values of the columns and all the texts."""
        pieces = [pa.array(list(texts), pa.large_string()), *map(distinct_texts, columns)]
        distinct = pc.unique(pa.chunked_array(pieces, pa.large_string())).drop_null()
        return cls(distinct.take(pc.sort_indices(distinct)))

    def __len__(self) -> int:
        return len(self.values)

    def codes(self, column: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.int32]:
        """The code of each value; 0 where it is NULL.

        Cost: a look-up for each distinct value of a column that is dictionary-encoded, for each
        value of any other.
        """
        if not pa.types.is_dictionary(column.type):
            return self._found(_flat(column))
        whole = _unified(column)
        table = np.append(self._found(_values_of(whole)), np.int32(0))
        codes = np.zeros(len(whole), np.int32)
        place = 0
        for chunk in whole.chunks:
            missing = pc.fill_null(chunk.indices, len(table) - 1)
            codes[place : place + len(chunk)] = table[missing.to_numpy(zero_copy_only=False)]
            place += len(chunk)
        return codes

    def _found(self, texts: pa.Array) -> npt.NDArray[np.int32]:
        found = pc.index_in(texts.cast(pa.large_string()), value_set=self.values)
        codes: npt.NDArray[np.int32] = pc.fill_null(found, 0).to_numpy(zero_copy_only=False)
        return codes.astype(np.int32)

    def code(self, text: str) -> int:
        """The code of one text that is in the dictionary."""
        return int(pc.index(self.values, pa.scalar(text, pa.large_string())).as_py())

    def texts(self, first: int, last: int) -> list[str]:
        """The values with codes `first` to `last`, the latter excluded.

        Raises:
            DataError: a value is not valid UTF-8.
        """
        try:
            texts: list[str] = self.values.slice(first, last - first).to_pylist()
        except UnicodeDecodeError as error:
            raise DataError(f"a text is not valid UTF-8: {error}") from error
        return texts

    def byte_lengths(self) -> npt.NDArray[np.int64]:
        """The UTF-8 length of each value: an upper bound of its tokens."""
        lengths: npt.NDArray[np.int64] = pc.binary_length(self.values).to_numpy(
            zero_copy_only=False
        )
        return lengths.astype(np.int64)


def encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A text column with its distinct values apart, in the order in which they first stand."""
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def distinct_texts(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The values of a text column, each once; of a dictionary-encoded one without a pass."""
    coded = pa.types.is_dictionary(column.type)
    texts = _values_of(_unified(column)) if coded else pc.unique(column)
    return texts.cast(pa.large_string()).drop_null()


def _unified(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    """A dictionary-encoded column whose chunks share one dictionary."""
    whole = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    return whole.unify_dictionaries()


def _values_of(column: pa.ChunkedArray) -> pa.Array:
    """The shared dictionary of a column."""
    if column.num_chunks:
        return column.chunk(0).dictionary
    return pa.array([], column.type.value_type)


def _flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    if not isinstance(column, pa.ChunkedArray):
        return column
    wide = column.cast(pa.large_string())
    return pa.concat_arrays(wide.chunks) if wide.num_chunks else pa.array([], wide.type)
