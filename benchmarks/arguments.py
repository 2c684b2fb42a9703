"""The command line that all benchmarks share, and the file they write."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.machine import ROOT, provenance

DEFAULT_MODEL = "smollm2-135m-instruct"
DEFAULT_DATA = Path(os.environ.get("SQLAX_DATA") or ROOT.parent / "shared" / "data")


def argument_parser(benchmark: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with `--json`, `--data`, `--rows`, `--repeats` and `--model`."""
    parser = argparse.ArgumentParser(f"python -m benchmarks.{benchmark}", description=description)
    parser.add_argument("--json", type=Path, required=True, metavar="FILE", help="where to write")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, metavar="DIR")
    parser.add_argument("--rows", type=_positive, help="use only so many rows")
    parser.add_argument(
        "--repeats", type=_positive, default=5, help="warm runs; their median counts"
    )
    parser.add_argument("--model", default=DEFAULT_MODEL, help="a known name or a path")
    return parser


def write_report(
    path: Path, benchmark: str, arguments: Sequence[str], fields: Mapping[str, object]
) -> None:
    """Write a report as JSON: where it comes from, then `fields`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    report = {**provenance(benchmark, arguments), **fields}
    path.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number
