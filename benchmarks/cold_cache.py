"""An empty cache of compiled programs, so that compile times are those of a first use."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def cold_cache() -> Iterator[None]:
    """Within the block, sqlax keeps compiled programs in a folder that is new and then removed."""
    before = os.environ.get("SQLAX_CACHE")
    with tempfile.TemporaryDirectory(prefix="sqlax-benchmark-") as folder:
        os.environ["SQLAX_CACHE"] = folder
        try:
            yield
        finally:
            _restore(before)


def _restore(before: str | None) -> None:
    if before is None:
        del os.environ["SQLAX_CACHE"]
    else:
        os.environ["SQLAX_CACHE"] = before
