"""Every comparison with the peers that are installed, in one run, and how it stands to the bars.

python -m benchmarks.bench [--quick] [--json FILE]

The whole run writes benchmarks/results/latest.json. With --quick few rows are asked, and the ratios
are held against benchmarks/results/quick/recorded.json, which is written where there is none yet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.arguments import DEFAULT_DATA, write_report
from benchmarks.bars import OURS, Line, ratios
from benchmarks.machine import ROOT

LATEST = ROOT / "benchmarks" / "results" / "latest.json"
RECORDED = LATEST.parent / "quick" / "recorded.json"
MOST_LOSS = 0.10
"""A ratio that falls by more than this share is a loss."""


@dataclass(frozen=True)
class Part:
    """A command of the comparison, and what `--quick` changes; None where it leaves it out."""

    command: tuple[str, ...]
    quick: tuple[str, ...] | None


_RACE = ("operators", "--repeats", "1", "--workload")
_SOON = ("--repeats", "3", "--warm-cache", "--peers", "llama.cpp batched", "transformers")
"""With peers that start in seconds, and without waiting for the compiler again."""
_FEW = ("--repeats", "5", "--warm-cache")
PARTS = (
    Part((*_RACE, "W1", "--peers"), ("--rows", "100", *_SOON)),
    Part((*_RACE, "W1b", "--peers"), ("--rows", "60", *_SOON)),
    Part((*_RACE, "W2", "--peers"), ("--rows", "32", *_SOON)),
    Part(("first_answer", "--repeats", "3"), None),
    Part(("start", "--repeats", "3"), None),
    Part(("paper", "--queries", "A1-A3", "--split", "--rows", "50", *_FEW), None),
    Part(("program_parts", "--workload", "W1b"), None),
)
"""What 30 minutes allow: a peer's run to warm up and one that counts."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where `--quick` finds a loss."""
    given = _parser().parse_args(arguments)
    file = given.json or (RECORDED if given.quick else LATEST)
    asked = [part for part in PARTS if part.quick is not None or not given.quick]
    recorded = json.loads(file.read_text("utf-8")) if given.quick and file.exists() else None
    report: dict[str, list[Line]] = {"results": [], "ratios": [], "parts": []}
    for part in asked:
        _add(report, _measured(part, given))
        if recorded is None:  # what is measured is kept, whatever becomes of the rest
            write_report(file, "bench", arguments, report)
    for line in report["ratios"]:
        print(_text(line))
    return 0 if recorded is None else _report_losses(report["ratios"], recorded["ratios"])


def _add(report: dict[str, list[Line]], lines: Sequence[Line]) -> None:
    report["results"] += [line for line in lines if "part" not in line]
    report["parts"] += [line for line in lines if "part" in line]
    report["ratios"] = ratios(report["results"])


def _report_losses(now: Sequence[Line], recorded: Sequence[Line]) -> int:
    lost = list(losses(now, recorded))
    for line, before in lost:
        print(f"LOSS: {_text(line)}; it was {before:.2f}")
    return 1 if lost else 0


def losses(now: Sequence[Line], recorded: Sequence[Line]) -> Iterator[tuple[Line, float]]:
    """The ratios that are gone, or worse than the recorded ones by more than `MOST_LOSS`."""
    found = [line for line in recorded if line["ratio"] is not None]
    by_rows = {(_name(line), *line["rows"]): line["ratio"] for line in found}
    by_name = {_name(line): line["ratio"] for line in found}
    for line in now:
        if line["ratio"] is None:
            known = by_name.get(_name(line))
        else:  # over other rows it is another comparison
            known = by_rows.get((_name(line), *line["rows"]))
        if known is not None and _is_lost(line, known):
            yield line, known


def _is_lost(line: Line, before: float) -> bool:
    if line["ratio"] is None:
        return True
    is_bytes = line["of"] == "peak_rss_bytes"
    change = before / line["ratio"] if is_bytes else line["ratio"] / before
    return bool(change < 1 - MOST_LOSS)


def _name(line: Line) -> tuple[str, str, str]:
    return line["workload"], line["against"], line["of"]


def _measured(part: Part, given: argparse.Namespace) -> list[Line]:
    """One command's lines, from a process of its own: peak memory is a process's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"
        more = part.quick or () if given.quick else ()
        command = (f"benchmarks.{part.command[0]}", *part.command[1:], *more)
        print(f"-- {' '.join(command)}", flush=True)
        subprocess.run(
            [sys.executable, "-m", *command, "--data", str(given.data), "--json", str(file)],
            check=True,
            cwd=ROOT,
        )
        report = json.loads(file.read_text("utf-8"))
    return [_fields(line) for line in report["results"]]


def _fields(line: Mapping[str, Any]) -> Line:
    speed = ("seconds", "rows_per_second", "tokens_per_second", "written_per_second", "roof_share")
    quality = ("accuracy", "our_accuracy", "equal_answers", "missing")
    start = ("start_seconds", "import_seconds", "compile_seconds", "peak_rss_bytes")
    shown = ("rows", "passing", "part", "share", "occupancy", "unused_positions")
    names = (*speed, *quality, *start, *shown)
    kept = {name: line[name] for name in names if line.get(name) is not None}
    return {"workload": line["workload"], "system": line.get("system", OURS), **kept}


def _text(line: Line) -> str:
    name = f"{line['workload']} against {line['against']} ({line['of']})"
    if line["ratio"] is None:
        return f"{name}: {line['missing']}"
    return f"{name}: {line['ratio']:.2f}, bar {line['bar']:.2f}{'' if line['met'] else ', NOT MET'}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks.bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, metavar="DIR")
    parser.add_argument(
        "--quick", action="store_true", help="few rows; compares with the recorded run"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
