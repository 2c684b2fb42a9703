"""Charts and tables of a comparison's report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.bars import ratios
from benchmarks.charts import draw
from benchmarks.table import tables

PNG = b"\x89PNG"
RESULTS: list[dict[str, Any]] = [
    {"workload": "W1", "system": "sqlax", "rows_per_second": 50.0, "roof_share": 0.7},
    {"workload": "W1", "system": "vLLM", "rows_per_second": 40.0},
    {"workload": "W1", "system": "transformers", "missing": "not installed"},
    {"workload": "A3 t=10", "system": "sqlax", "passing": 5, "seconds": 1.0},
    {"workload": "A3 t=101", "system": "sqlax", "passing": 50, "seconds": 8.0},
    {"workload": "A3 t=10", "system": "sqlax split", "passing": 5, "seconds": 2.0},
]
REPORT: dict[str, Any] = {
    "benchmark": "bench",
    "command": "python -m benchmarks.bench",
    "machine": {"cpu": "a processor", "cores": 2, "bf16": [], "jax": "0", "backend": "cpu"},
    "commit": "0123456789ab",
    "date": "2026-11-30T00:00:00+00:00",
    "results": RESULTS,
    "ratios": ratios(RESULTS),
    "parts": [
        {"workload": "W1", "part": "projection", "seconds": 3.0, "share": 0.75},
        {"workload": "W1", "part": "attention", "seconds": 1.0, "share": 0.25},
    ],
}


def test_each_chart_is_a_png(tmp_path: Path) -> None:
    drawn = draw(REPORT, tmp_path)
    names = [path.name for path in drawn]
    assert names == ["speed_by_peer.png", "time_by_selectivity.png", "share_by_part.png"]
    assert all(path.read_bytes().startswith(PNG) for path in drawn)


def test_what_was_not_measured_is_not_drawn(tmp_path: Path) -> None:
    only_w1 = {**REPORT, "results": RESULTS[:1], "parts": []}
    assert [path.name for path in draw(only_w1, tmp_path)] == ["speed_by_peer.png"]


def test_results_ratios_and_parts_are_tables() -> None:
    text = tables([REPORT])
    assert "### bench: ratios" in text
    assert "| W1 | vLLM | rows_per_second | 1.25 | 1 | yes |" in text
    assert "| W1 | attention | 1 | 0.25 |" in text
