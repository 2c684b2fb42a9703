"""Rows of one query on disk: DuckDB's connection is free again before the first morsel is run.

DuckDB lets no other query of a connection run while the rows of one are being fetched; a second
connection would see neither temporary tables nor what the transaction has changed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO

import pyarrow as pa

from sqlax.errors import CapacityError


class Spool:
    """Arrow batches in a file without a name; it is gone when closed, or when the process ends."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115

    def write(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> None:
        """Append all batches.

        Raises:
            CapacityError: the file system is full.
        """
        with _room():
            stream = pa.ipc.new_stream(pa.PythonFile(self._file, "w"), schema)
        for batch in batches:
            with _room():
                stream.write_batch(batch)
        with _room():
            stream.close()

    def tables(self, rows: int) -> Iterator[pa.Table]:
        """The rows in tables of `rows` rows, the last one shorter; at least one, if of none."""
        self._file.seek(0)
        stream = pa.ipc.open_stream(pa.PythonFile(self._file, "r"))
        held: list[pa.RecordBatch] = []
        is_empty = True
        for batch in stream:
            held.append(batch)
            while sum(len(batch) for batch in held) >= rows:
                table = pa.Table.from_batches(held, stream.schema)
                yield table.slice(0, rows)
                held, is_empty = table.slice(rows).to_batches(), False
        if is_empty or held:
            yield pa.Table.from_batches(held, stream.schema)

    def __enter__(self) -> Spool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._file.close()


@contextmanager
def _room() -> Iterator[None]:
    """What the file system refuses, as an error that names its folder."""
    try:
        yield
    except OSError as error:
        raise CapacityError(f"no room for rows in {tempfile.gettempdir()}: {error}") from error
