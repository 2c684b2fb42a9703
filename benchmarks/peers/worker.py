"""A peer's side of the conversation; needs nothing but Python, so that any environment runs it.

The first line of standard input is the task as JSON: what `Task.fields` gives, and the peer's mode,
threads and scratch folder. Every further line asks for one timed run over the first so many rows,
which is answered by a JSON line on standard output; the first answer says what starting took.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

WORTH_KEEPING = 16
"""Tokens of a common prefix from which on it is read once and its keys and values are reused."""

Task = dict[str, Any]
Run = Callable[[int], Sequence[Any]]
"""A run over the first so many rows: each one's label's place, or its text or its token ids."""


def serve(start: Callable[[Task], Run]) -> None:
    """Answer until standard input ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not get between the answers
    task = json.loads(sys.stdin.readline())
    begin = time.perf_counter()
    run = start(task)
    print(json.dumps({"start_seconds": time.perf_counter() - begin}), file=out, flush=True)
    for line in sys.stdin:
        begin = time.perf_counter()
        answers = run(int(line))
        seconds = time.perf_counter() - begin
        answer = {"seconds": seconds, "answers": answers, "peak_rss_bytes": _peak()}
        print(json.dumps(answer), file=out, flush=True)


def common_prefix(rows: Sequence[list[int]]) -> int:
    """How many tokens all rows begin with; the last token of each row is not among them."""
    least, most = min(rows), max(rows)
    limit = min(map(len, rows)) - 1
    same = (at for at in range(limit) if least[at] != most[at])
    return next(same, limit)


def _peak() -> int:
    """The largest resident size so far, of this process and of those that it has started."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024
    return own * unit + sum(_peak_of(child) * 1024 for child in _descendants(os.getpid()))


def _descendants(process: int) -> list[int]:
    """The processes below one; none where the system does not tell."""
    found: list[int] = []
    for listing in Path(f"/proc/{process}/task").glob("*/children"):
        for child in map(int, listing.read_text().split()):
            found += [child, *_descendants(child)]
    return found


def _peak_of(process: int) -> int:
    """KiB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM")), 0)
