"""TPC-H's tables and queries: made once in the user's cache folder, never part of the repository.

DuckDB's generator is an extension whose package exists for DuckDB 1.5 only, so it runs in a
virtual environment of its own and hands the tables over as parquet.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import duckdb
from filelock import FileLock

from sqlax.runtime.compilation import cache_folder

PACKAGES = ("duckdb==1.5.5", "duckdb-extension-tpch==1.5.5")
TABLES = (
    *("region", "nation", "supplier", "customer"),
    *("part", "partsupp", "orders", "lineitem"),
)
QUERIES = tuple(range(1, 23))


class TpchUnavailableError(Exception):
    """The data is not here and cannot be made; the message says what failed."""


def tpch_folder(scale: float) -> Path:
    """The folder of a scale factor's parquet files; made if it is not there yet.

    The first call makes the environment (about ten seconds and 150 MB) and the data (a second for
    each tenth of the scale factor).

    Raises:
        TpchUnavailableError: the packages cannot be installed, or the generator fails.
    """
    base = cache_folder().parent / "tpch"
    base.mkdir(parents=True, exist_ok=True)
    folder = base / f"sf{scale:g}"
    with FileLock(base / "lock"):
        if not folder.is_dir():
            _make(_environment(base / "environment"), scale, folder)
    return folder


def load_tpch(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    """Create and fill the eight tables."""
    connection.execute((folder / "schema.sql").read_text("utf-8").replace(";;", ";"))
    for table in TABLES:
        connection.execute(f"INSERT INTO {table} FROM '{folder / table}.parquet'")


def query_texts(folder: Path) -> dict[int, str]:
    """The 22 queries by number, without the semicolon."""
    texts = json.loads((folder / "queries.json").read_text("utf-8"))
    return {int(number): text.strip().removesuffix(";") for number, text in texts.items()}


def _environment(folder: Path) -> Path:
    """The interpreter of the environment that has the extension."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _run([sys.executable, "-m", "venv", str(folder)])
        quiet = ("--quiet", "--disable-pip-version-check")
        _run([str(python), "-m", "pip", "install", *quiet, *PACKAGES])
        (folder / "complete").touch()
    return python


def _make(python: Path, scale: float, folder: Path) -> None:
    """Export beside the folder, then rename: it is there whole or not at all."""
    script = Path(__file__).with_name("tpch_export.py")
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        made = Path(temporary) / "data"
        made.mkdir()
        _run([str(python), str(script), f"{scale:g}", str(made)])
        made.rename(folder)


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip()[-500:]
        raise TpchUnavailableError(f"{command[0]} {command[1]} failed: {said}")
