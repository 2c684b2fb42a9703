"""Python's search for unreachable cycles, put off while very many objects are made."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """Within the block no cycle is looked for: imports and traces make objects, but few cycles.

    In a new process a third of the time until a program is there went into such searches.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
