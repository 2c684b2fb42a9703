"""The bars: what a ratio between two systems of one run must be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

OURS = "sqlax"

Line = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    """One ratio and its bound.

    Attributes:
        workload: of both lines.
        against: the other system.
        bound: what the ratio must reach, or keep below for bytes.
        field: what is compared: `seconds`, where less is better and the ratio is the other's over
            ours, or `peak_rss_bytes`, where it is ours over the other's.
    """

    workload: str
    against: str
    bound: float
    field: str = "rows_per_second"

    def ratio(self, ours: Line, other: Line) -> float:
        """How our line stands to the other's."""
        if self.field == "seconds":
            return float(other["seconds"] / ours["seconds"])
        return float(ours[self.field] / other[self.field])

    def is_met(self, ratio: float) -> bool:
        """Whether a ratio keeps the bound."""
        return ratio <= self.bound if self.field == "peak_rss_bytes" else ratio >= self.bound


BARS = (
    Bar("W1", "vLLM", 1.0),
    Bar("W1", "transformers", 1.25),
    Bar("W1", "llama.cpp batched", 1.7),
    Bar("W1b", "vLLM", 1.05),
    Bar("W1b", "DuckDB function over llama.cpp", 2.8),
    Bar("W2", "vLLM", 0.9),
    Bar("W2", "transformers", 1.5),
    Bar("W2", "llama.cpp batched", 1.7),
    Bar("W2", "llama.cpp row by row", 8.0),
    Bar("first answer", "vLLM", 10.0, "seconds"),
    Bar("W1", "vLLM", 0.25, "peak_rss_bytes"),
)
SPLIT = "sqlax split"
"""One program must never be slower than operator by operator, at any threshold."""


def ratios(lines: Sequence[Line]) -> list[Line]:
    """A line for each bar whose two systems were measured; the reason where one was not."""
    by_name = {(line["workload"], line["system"]): line for line in lines}
    return [_line(bar, by_name) for bar in (*BARS, *_split_bars(lines))]


def _split_bars(lines: Sequence[Line]) -> Iterator[Bar]:
    for line in lines:
        if line["system"] == SPLIT and line["workload"].startswith("A"):
            yield Bar(line["workload"], SPLIT, 1.0, "seconds")


def _line(bar: Bar, by_name: dict[tuple[str, str], Line]) -> Line:
    ours, other = by_name.get((bar.workload, OURS)), by_name.get((bar.workload, bar.against))
    line = {"workload": bar.workload, "against": bar.against, "of": bar.field, "bar": bar.bound}
    if ours is None or other is None or bar.field not in other:
        return {**line, "ratio": None, "missing": (other or {}).get("missing", "not measured")}
    ratio, rows = bar.ratio(ours, other), [ours.get("rows"), other.get("rows")]
    return {**line, "ratio": ratio, "met": bar.is_met(ratio), "rows": rows}
