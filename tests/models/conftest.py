"""Fixtures that several tests of models share."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlax.errors import ModelNotFoundError
from sqlax.models import registry

DEFAULT_MODEL = "smollm2-135m-instruct"


@pytest.fixture(scope="session")
def smollm2_path() -> Path:
    """The default model's GGUF file; skips where it has not been pulled."""
    try:
        return registry.resolve(DEFAULT_MODEL)
    except ModelNotFoundError as error:
        pytest.skip(str(error))
