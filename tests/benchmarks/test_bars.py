"""Ratios of one run and their bars, and losses against a recorded run."""

from __future__ import annotations

from typing import Any

from benchmarks.bars import BARS, ratios
from benchmarks.bench import losses

LINES: list[dict[str, Any]] = [
    {"workload": "W1", "system": "sqlax", "rows_per_second": 50.0, "peak_rss_bytes": 1000},
    {"workload": "W1", "system": "transformers", "rows_per_second": 25.0, "peak_rss_bytes": 900},
    {"workload": "W1", "system": "vLLM", "rows_per_second": 100.0, "peak_rss_bytes": 8000},
    {"workload": "W2", "system": "vLLM", "missing": "not installed"},
    {"workload": "A1 t=10", "system": "sqlax", "seconds": 2.0},
    {"workload": "A1 t=10", "system": "sqlax split", "seconds": 3.0},
]


def test_every_bar_has_a_line() -> None:
    found = {(line["workload"], line["against"], line["of"]): line for line in ratios(LINES)}
    assert len(found) == len(BARS) + 1
    assert found["W1", "transformers", "rows_per_second"]["ratio"] == 2
    assert found["W1", "transformers", "rows_per_second"]["met"]
    assert not found["W1", "vLLM", "rows_per_second"]["met"]
    memory = found["W1", "vLLM", "peak_rss_bytes"]
    assert (memory["ratio"], memory["met"]) == (0.125, True)
    assert found["A1 t=10", "sqlax split", "seconds"]["ratio"] == 1.5


def test_a_system_that_is_missing_is_named() -> None:
    ours = {"workload": "W2", "system": "sqlax", "rows_per_second": 15.0}
    (line,) = (x for x in ratios([*LINES, ours]) if (x["workload"], x["against"]) == ("W2", "vLLM"))
    assert (line["ratio"], line["missing"]) == (None, "not installed")


def test_a_loss_is_more_than_a_tenth_in_either_direction() -> None:
    before = ratios(LINES)
    assert not list(losses(before, before))
    slower = [_scaled(line, 0.85) for line in before]
    lost = {(line["workload"], line["of"]) for line, _ in losses(slower, before)}
    assert lost == {("W1", "rows_per_second"), ("A1 t=10", "seconds")}
    larger = [_scaled(line, 1.5) for line in before]
    assert {line["of"] for line, _ in losses(larger, before)} == {"peak_rss_bytes"}


def test_runs_over_other_rows_are_not_compared() -> None:
    before = ratios([{**line, "rows": 50} for line in LINES])
    slower = [_scaled(line, 0.5) for line in ratios([{**line, "rows": 100} for line in LINES])]
    assert not list(losses(slower, before))
    assert list(losses([_scaled(line, 0.5) for line in before], before))


def test_a_ratio_that_is_gone_is_a_loss() -> None:
    before, name = ratios(LINES), ("W1", "transformers")
    now = ratios([line for line in LINES if (line["workload"], line["system"]) != name])
    ((lost, known),) = losses(now, before)
    assert ((lost["workload"], lost["against"]), lost["ratio"], known) == (name, None, 2.0)


def _scaled(line: dict[str, Any], factor: float) -> dict[str, Any]:
    return {**line, "ratio": line["ratio"] and line["ratio"] * factor}
