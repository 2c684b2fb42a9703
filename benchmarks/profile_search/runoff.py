"""Which of two profiles of yes or no do new texts of our own prefer? The runoff of docs/quality.md.

python -m benchmarks.profile_search.runoff FILE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.profile_search.blind import HERE, Form, candidate, load_bench

CANDIDATES = (
    (Form("Answer:", ("true", "false")), "opinions", "neutral"),
    (Form("The answer is", ("yes", "no")), "mixed", "opinions"),
)
"""Form, bank and calibration; the user's examples stand before the bank."""


def main(arguments: Sequence[str]) -> None:
    """Measure both candidates; the better one comes first."""
    bench = load_bench(HERE / "runoff.json")
    lines = [candidate(bench, *given) for given in CANDIDATES]
    lines.sort(key=lambda line: -line["mean"])
    Path(arguments[0]).write_text(json.dumps(lines, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
