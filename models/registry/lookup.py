"""From what a user writes as a model to the file or folder that holds it."""

from __future__ import annotations

import os
from pathlib import Path

from sqlax.errors import ModelNotFoundError
from sqlax.models.registry.catalogue import find, known
from sqlax.models.registry.hub import is_repository, snapshot


def resolve(name_or_path: str | os.PathLike[str]) -> Path:
    """The GGUF file or Hugging Face directory that `name_or_path` stands for.

    A known name comes first, then a path that exists, then a Hugging Face repository
    (downloaded). Nothing is downloaded for a known name.

    Raises:
        ModelNotFoundError: a known name that has not been pulled, or nothing of that name.
        ModelError: a repository that cannot be downloaded.
    """
    name = os.fspath(name_or_path)
    if name in (model.name for model in known()):
        return _pulled(name)
    path = Path(name).expanduser()
    if name and path.exists():
        return path
    if _looks_like_path(name):
        raise ModelNotFoundError(f"there is no file or folder {path}")
    return snapshot(name) if is_repository(name) else find(name).path


def _pulled(name: str) -> Path:
    model = find(name)
    if not model.is_here:
        raise ModelNotFoundError(
            f"the model {name!r} is not here yet; get it with: sqlax models pull {name}"
        )
    return model.path


def _looks_like_path(name: str) -> bool:
    return name.endswith(".gguf") or name.startswith((".", "~")) or Path(name).is_absolute()
