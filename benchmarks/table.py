"""The results in benchmarks/results/ as tables in benchmarks/README.md.

python -m benchmarks.table
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT

RESULTS = ROOT / "benchmarks" / "results"
README = ROOT / "benchmarks" / "README.md"
BEGIN = "<!-- results: written by python -m benchmarks.table -->"
END = "<!-- end of results -->"

COLUMNS: dict[str, tuple[str, ...]] = {
    "operators": (
        *("workload", "system", "rows", "seconds", "compile_seconds", "rows_per_second"),
        *("tokens_per_second", "roof_gflops", "copy_gb_per_second", "roof_share", "accuracy"),
        *("peak_rss_bytes", "written_per_second", "relative_throughput"),
        *("occupancy", "pages", "start_seconds", "equal_answers", "missing"),
    ),
    "mixed": (
        *("workload", "rows", "seconds", "written_tokens", "written_per_second"),
        *("relative_throughput", "occupancy", "pages", "unused_positions"),
    ),
    "start": (
        *("workload", "rows", "seconds", "import_seconds", "compile_seconds", "accuracy"),
        "peak_rss_bytes",
    ),
    "bench": (
        *("workload", "system", "rows", "passing", "seconds", "rows_per_second"),
        *("tokens_per_second", "written_per_second", "accuracy", "equal_answers"),
        *("start_seconds", "import_seconds", "compile_seconds", "peak_rss_bytes", "missing"),
    ),
    "bench: ratios": ("workload", "against", "of", "ratio", "bar", "met", "missing"),
    "bench: parts": ("workload", "part", "seconds", "share"),
    "program_parts": ("workload", "part", "seconds", "share"),
    "selectivity": (
        *("mode", "share", "rows", "seconds", "relative_seconds", "tokens"),
        *("traces", "warm_traces"),
    ),
    "quality": ("task", "system", "metric", "value", "rows", "answered"),
    "profile_search.unseen": ("task", "metric", "value", "rows", "answered"),
    "sembench": (
        *("query", "seconds", "compile_seconds", "metric", "quality", "rows", "calls"),
        *("tokens_prefilled", "tokens_reused"),
    ),
    "paper": (
        *("query", "system", "threshold", "rows", "passing", "relative_passing", "seconds"),
        *("relative_seconds", "relative_throughput", "compile_seconds", "calls", "tokens"),
        "written_tokens",
    ),
    "tpch": (
        *("sf", "query", "mode", "seconds", "load_seconds", "compile_seconds"),
        *("duckdb_seconds", "relative_seconds", "equal"),
    ),
}
"""The fields that are shown of each benchmark, in the order in which the tables stand."""
_ORIGIN = ("command", "machine", "commit", "date")

Report = Mapping[str, Any]


def main(arguments: Sequence[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser("python -m benchmarks.table", description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="DIR")
    parser.add_argument("--readme", type=Path, default=README, metavar="FILE")
    given = parser.parse_args(arguments)
    reports = [json.loads(path.read_text("utf-8")) for path in sorted(given.results.glob("*.json"))]
    text = given.readme.read_text("utf-8")
    given.readme.write_text(put_between_markers(text, tables(reports)), "utf-8")


def put_between_markers(text: str, tables: str) -> str:
    """The document with `tables` in place of what stood between the two markers.

    Raises:
        ValueError: a marker is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no {END if begin else BEGIN} to write the tables at")
    return f"{before}{BEGIN}\n\n{tables}\n\n{END}{after}"


def tables(reports: Sequence[Report]) -> str:
    """A Markdown table for each benchmark that has a report; `bench: ratios` is a part of one."""
    named = (
        (name, [r for r in reports if r["benchmark"] == name.split(":")[0]]) for name in COLUMNS
    )
    parts = [_table(name, given) for name, given in named if given]
    return "\n\n".join(parts) or "No results yet."


def _table(name: str, reports: Sequence[Report]) -> str:
    columns = (*COLUMNS[name], *_ORIGIN)
    rows = [[_cell(column, row.get(column)) for column in columns] for row in _rows(name, reports)]
    heads = [column.replace("_", " ").replace("bytes", "MiB") for column in columns]
    lines = [heads, ["---"] * len(columns), *rows]
    return "\n".join([f"### {name}", "", *(f"| {' | '.join(line)} |" for line in lines)])


def _rows(name: str, reports: Sequence[Report]) -> Iterator[Report]:
    """Each line of the part of a report that a table shows, with the report's own fields."""
    part = name.partition(": ")[2] or "results"
    for report in reports:
        for result in report[part]:
            yield {**report, **result}


def _cell(column: str, value: Any) -> str:
    if value is None:
        return ""
    if column == "machine":
        return machine_text(value)
    if column == "command":
        return f"`{value}`"
    if column == "date":
        return str(value)[:10]
    if column.endswith("_bytes"):
        return f"{value / 2**20:,.0f}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def machine_text(machine: Report) -> str:
    """A machine in a few words."""
    words = [machine["cpu"], f"{machine['cores']} cores", *machine["bf16"]]
    return ", ".join([*words, f"jax {machine['jax']}", machine["backend"]])


if __name__ == "__main__":
    main(sys.argv[1:])
