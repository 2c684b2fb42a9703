"""Where compiled programs are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlax.models.registry.cache import models_folder
from sqlax.runtime.compilation import cache_folder


@pytest.mark.parametrize("chosen", ["/somewhere", "", None])
def test_programs_are_kept_beside_the_models(
    chosen: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SQLAX_CACHE", raising=False)
    if chosen is not None:
        monkeypatch.setenv("SQLAX_CACHE", chosen)
    assert cache_folder() == models_folder().parent / "programs"
    assert cache_folder().is_absolute()
    assert (cache_folder().parent == Path("/somewhere")) is bool(chosen)
