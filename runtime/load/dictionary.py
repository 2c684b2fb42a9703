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
    def of(cls, columns: Iterable[pa.Array], texts: Iterable[str]) -> StringDictionary:
        """The dictionary of all values of the columns and all the texts."""
        pieces = [pa.array(list(texts), pa.large_string()), *map(_large, columns)]
        distinct = pc.unique(pa.chunked_array(pieces, pa.large_string())).drop_null()
        return cls(distinct.take(pc.sort_indices(distinct)))

    def __len__(self) -> int:
        return len(self.values)

    def codes(self, column: pa.Array) -> npt.NDArray[np.int32]:
        """The code of each value; 0 where it is NULL."""
        found = pc.index_in(_large(column), value_set=self.values)
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


def _large(column: pa.Array) -> pa.Array:
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(flat, pa.ChunkedArray):
        flat = pa.concat_arrays(flat.chunks) if flat.num_chunks else pa.array([], flat.type)
    if pa.types.is_dictionary(flat.type):
        flat = flat.dictionary_decode()
    return flat.cast(pa.large_string())
