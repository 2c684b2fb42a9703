"""Texts are read as programs read them: with 64-bit numbers."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True)
def wide_numbers() -> Iterator[None]:
    with jax.enable_x64(True):
        yield
