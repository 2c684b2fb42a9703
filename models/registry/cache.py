"""The folders in which pulled models and their dequantised weights stay."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def models_folder() -> Path:
    """`$SQLAX_CACHE/models`, else `sqlax/models` in the user's cache folder; may not exist yet."""
    return _folder() / "models"


def weights_folder() -> Path:
    """Where dequantised weights stay; may not exist yet."""
    return _folder() / "weights"


def _folder() -> Path:
    chosen = os.environ.get("SQLAX_CACHE")
    return Path(chosen).expanduser() if chosen else _platform_folder() / "sqlax"


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
