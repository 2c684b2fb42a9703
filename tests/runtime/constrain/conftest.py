"""What the tests of constraints share: a cache folder of their own, the default model."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlax.models import registry
from sqlax.models.tokenizer import Tokenizer
from sqlax.models.tokenizers import from_gguf
from sqlax.models.weights.gguf_file import open_gguf


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder while a test runs."""
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="session")
def default_tokenizer(default_model: str) -> Tokenizer:
    """The default model's tokenizer; for tests marked `real_model`."""
    return from_gguf(open_gguf(registry.resolve(default_model)).metadata)
