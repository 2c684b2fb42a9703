"""The figures of `benchmarks/results/latest.json` as PNG charts beside it.

python -m benchmarks.charts [--json FILE] [--charts DIR]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.bars import OURS, SPLIT
from benchmarks.machine import ROOT
from benchmarks.table import machine_text

RESULTS = ROOT / "benchmarks" / "results"
SWEPT = "A3"
"""The query whose time is drawn against the share of rows that pass."""

Report = Mapping[str, Any]
Line = Mapping[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.charts", description=__doc__)
    parser.add_argument("--json", type=Path, default=RESULTS / "latest.json", metavar="FILE")
    parser.add_argument("--charts", type=Path, default=RESULTS, metavar="DIR")
    given = parser.parse_args(arguments)
    for path in draw(json.loads(given.json.read_text("utf-8")), given.charts):
        print(path)


def draw(report: Report, folder: Path) -> list[Path]:
    """Write each chart that the report has figures for; where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = {
        "speed_by_peer.png": _speed_by_peer(report),
        "time_by_selectivity.png": _time_by_selectivity(report),
        "share_by_part.png": _share_by_part(report),
    }
    drawn = {folder / name: figure for name, figure in figures.items() if figure is not None}
    for path, figure in drawn.items():
        figure.suptitle(_origin(report), fontsize=7, color="0.4")
        figure.savefig(path, dpi=120)
    return list(drawn)


def _speed_by_peer(report: Report) -> Figure | None:
    """Rows per second of each system, a panel a workload."""
    lines = [x for x in report["results"] if "rows_per_second" in x and x["workload"][0] == "W"]
    return _panels(_grouped(lines), _speed_panel)


def _speed_panel(axes: Axes, workload: str, lines: Sequence[Line]) -> None:
    ranked = sorted(lines, key=lambda line: line["rows_per_second"])
    colors = ["tab:blue" if line["system"] == OURS else "0.7" for line in ranked]
    speeds = [line["rows_per_second"] for line in ranked]
    bars = axes.barh([line["system"] for line in ranked], speeds, color=colors)
    axes.bar_label(bars, fmt="%.3g", padding=2, fontsize=8)
    axes.set(title=workload, xlabel="rows per second")
    axes.margins(x=0.15)


def _time_by_selectivity(report: Report) -> Figure | None:
    """Seconds against the share of rows that pass: one program, and operator by operator."""
    lines = [x for x in report["results"] if x["workload"].startswith(f"{SWEPT} ")]
    return _panels({SWEPT: lines} if lines else {}, _time_panel)


def _time_panel(axes: Axes, workload: str, lines: Sequence[Line]) -> None:
    for system in (OURS, SPLIT):
        own = sorted((x["passing"], x["seconds"]) for x in lines if x["system"] == system)
        axes.plot(*zip(*own, strict=True), marker="o", label=system) if own else None
    axes.set(title=workload, xlabel="rows that pass", ylabel="seconds", ylim=(0, None))
    axes.legend()


def _share_by_part(report: Report) -> Figure | None:
    """Each part's share of the time, and what share of the roof the products reach."""
    shares = {line["workload"]: line["roof_share"] for line in _ours(report, "roof_share")}

    def panel(axes: Axes, workload: str, parts: Sequence[Line]) -> None:
        _share_panel(axes, workload, parts, shares.get(workload))

    return _panels(_grouped(report.get("parts", ())), panel)


def _share_panel(axes: Axes, workload: str, parts: Sequence[Line], roof: float | None) -> None:
    ordered = sorted(parts, key=lambda line: line["share"])
    bars = axes.barh([x["part"] for x in ordered], [100 * x["share"] for x in ordered])
    axes.bar_label(bars, fmt="%.0f %%", padding=2, fontsize=8)
    axes.set(title=workload, xlabel="share of the time, %", xlim=(0, 100))
    if roof is not None:
        reached = roof / max(line["share"] for line in ordered if line["part"] == "projection")
        text = f" products at the roof;\n they reach {reached:.0%} of it"
        axes.axvline(100 * roof, color="tab:red", linestyle="--", linewidth=1)
        axes.text(100 * roof, 0, text, color="tab:red", fontsize=7)


def _panels(
    groups: Mapping[str, Sequence[Line]], panel: Callable[[Axes, str, Sequence[Line]], None]
) -> Figure | None:
    """A figure with a panel for each group; None where there is none."""
    if not groups:
        return None
    figure = Figure(figsize=(8, 0.6 + 2.6 * len(groups)), layout="constrained")
    for axes, (name, lines) in zip(
        figure.subplots(len(groups), squeeze=False)[:, 0], groups.items(), strict=True
    ):
        panel(axes, name, lines)
    return figure


def _grouped(lines: Sequence[Line]) -> dict[str, list[Line]]:
    groups: dict[str, list[Line]] = {}
    for line in lines:
        groups.setdefault(line["workload"], []).append(line)
    return groups


def _ours(report: Report, field: str) -> list[Line]:
    return [x for x in report["results"] if x["system"] == OURS and field in x]


def _origin(report: Report) -> str:
    return f"{machine_text(report['machine'])}; commit {report['commit']}, {report['date'][:10]}"


if __name__ == "__main__":
    main(sys.argv[1:])
