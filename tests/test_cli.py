"""The `sqlax` command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sqlax
from sqlax.cli import main


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLAX_CACHE", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    assert capsys.readouterr().out == f"sqlax {sqlax.__version__}\n"


@pytest.mark.parametrize("arguments", [["models", "list"], ["models"]])
def test_models_list(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    heading, model = capsys.readouterr().out.splitlines()
    assert heading.split() == ["Name", "Licence", "Size", "From", "Here"]
    assert model.split()[:2] == ["smollm2-135m-instruct", "Apache-2.0"]
    assert model.split()[-1] == "no"


def test_pull_of_an_unknown_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "pull", "[red]gpt-9"]) == 1
    assert capsys.readouterr().err.endswith(
        "sqlax: no model named '[red]gpt-9'; there are: smollm2-135m-instruct. The path of a GGUF "
        "file or of a Hugging Face directory works too, and so does a Hugging Face repository "
        "such as 'org/name'\n"
    )


def test_no_command_shows_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "models" in capsys.readouterr().out


def test_the_command_starts_without_jax() -> None:
    check = "import sys, sqlax.cli; sys.exit('jax' in sys.modules or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
