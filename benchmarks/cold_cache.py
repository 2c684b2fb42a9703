"""The cache of compiled programs: empty, so that compile times are those of a first use, or not."""

from __future__ import annotations

import argparse
import contextlib
import os
import tempfile
from collections.abc import Iterator


def add_warm_cache(parser: argparse.ArgumentParser) -> None:
    """Let a command be asked not to wait for the compiler again."""
    parser.add_argument(
        "--warm-cache", action="store_true", help="use programs compiled by earlier runs"
    )


def cache_for(given: argparse.Namespace) -> contextlib.AbstractContextManager[None]:
    """The cache that a command line asks for; an empty one where it does not say."""
    return contextlib.nullcontext() if given.warm_cache else cold_cache()


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
