"""Writes TPC-H's tables and query texts; run by an interpreter that has DuckDB's tpch extension.

python tpch_export.py SCALE FOLDER

The folder gets one parquet file a table, `schema.sql` and `queries.json`. Nothing of sqlax is
imported: the interpreter is that of an environment of its own (see `tpch_data.py`).
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import duckdb


def main(arguments: Sequence[str]) -> None:
    """Make the data of a scale factor in a folder."""
    scale, folder = float(arguments[0]), Path(arguments[1])
    with duckdb.connect() as connection:
        connection.execute(f"LOAD '{_extension()}'")
        connection.execute(f"CALL dbgen(sf = {scale})")
        connection.execute(f"EXPORT DATABASE '{folder}' (FORMAT parquet)")
        texts = connection.sql("SELECT query_nr, query FROM tpch_queries()").fetchall()
    (folder / "queries.json").write_text(json.dumps(dict(texts), indent=2), "utf-8")


def _extension() -> Path:
    """The extension's file, which its package holds."""
    found = importlib.util.find_spec("duckdb_extension_tpch")
    assert found is not None, "the package duckdb-extension-tpch is not installed"
    assert found.submodule_search_locations is not None, "it is a package, not a module"
    folders = found.submodule_search_locations
    return next(path for f in folders for path in Path(f).rglob("*.duckdb_extension"))


if __name__ == "__main__":
    main(sys.argv[1:])
