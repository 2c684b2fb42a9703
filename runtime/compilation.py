"""JAX's persistent compilation cache, switched on for one compilation at a time.

Importing or using sqlax leaves the process's own JAX settings as they were.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import jax
from jax.experimental.compilation_cache import compilation_cache

from sqlax.models.registry.cache import models_folder

_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
    "jax_enable_compilation_cache": True,
}


def cache_folder() -> Path:
    """Where compiled programs are kept: beside the models."""
    return models_folder().parent / "programs"


@contextlib.contextmanager
def persistent_cache() -> Iterator[None]:
    """Within the block, compiled programs are kept on disk and found by later processes."""
    wanted = {**_SETTINGS, "jax_compilation_cache_dir": str(cache_folder())}
    before = {name: getattr(jax.config, name) for name in wanted}
    if before["jax_compilation_cache_dir"] is not None:
        yield
        return
    _apply(wanted)
    try:
        yield
    finally:
        _apply(before)


def _apply(settings: dict[str, object]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)  # type: ignore[no-untyped-call]
    compilation_cache.reset_cache()
