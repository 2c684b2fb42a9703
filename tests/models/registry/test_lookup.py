"""What a user may write as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from huggingface_hub.errors import LocalEntryNotFoundError

from sqlax.errors import ModelError, ModelNotFoundError
from sqlax.models import registry
from sqlax.models.registry.cache import models_folder
from sqlax.models.registry.redact import redact

DEFAULT = "smollm2-135m-instruct"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path / "cache"))


def test_paths_stand_for_themselves(tmp_path: Path) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    assert registry.resolve(file) == registry.resolve(str(file)) == file
    assert registry.resolve(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (DEFAULT, f"not here yet; get it with: sqlax models pull {DEFAULT}"),
        ("gpt-9", f"no model named 'gpt-9'; there are: {DEFAULT}"),
        ("./gpt-9", "there is no file or folder gpt-9"),
        ("models/x.gguf", "there is no file or folder models/x.gguf"),
        ("", "no model named ''"),
    ],
    ids=["not pulled", "unknown", "folder", "file", "empty"],
)
def test_what_is_not_here(name: str, message: str) -> None:
    with pytest.raises(ModelNotFoundError, match=message):
        registry.resolve(name)


def test_repository_is_downloaded_without_pickles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def download(repo_id: str, **options: Any) -> str:
        asked.update(options, repo_id=repo_id)
        return str(tmp_path)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    assert registry.resolve("org/name-1.5B") == tmp_path
    assert asked == {"repo_id": "org/name-1.5B", "allow_patterns": ["*.safetensors", "*.json"]}


def test_repository_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def download(repo_id: str, **options: Any) -> str:
        raise LocalEntryNotFoundError("no route to https://me:s3cret@hub/x?token=s3cret")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(ModelError, match=r"'org/name' is no path here, and .* no route") as caught:
        registry.resolve("org/name")
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "clean"),
    [
        ("at https://user:pass@host/simple/", "at https://***@host/simple/"),
        ("at https://tok@en@host/simple", "at https://***@host/simple"),
        ("get https://host/f?sig=abc&x=1 now", "get https://host/f?*** now"),
        ("token hf_abcdefghijkl is bad", "token *** is bad"),
        ("nothing here: a@b.c", "nothing here: a@b.c"),
    ],
)
def test_redact(message: str, clean: str) -> None:
    assert redact(message) == clean


def test_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert models_folder() == tmp_path / "cache" / "models"
    monkeypatch.delenv("SQLAX_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert models_folder() == tmp_path / "sqlax" / "models"
