"""A peer's side of the conversation; needs nothing but Python, so that any environment runs it.

The first line of standard input is the task as JSON: the model's file, the prompts as token ids,
tokens to write for each, and the peer's mode. Every further line asks for one timed run, which is
answered by a JSON line on standard output; the first answer says what starting took.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

Task = dict[str, Any]
Write = Callable[[list[list[int]]], list[list[int]]]
"""Prompts to texts, both as token ids, each text of the task's length."""


def serve(start: Callable[[Task], Write]) -> None:
    """Answer until standard input ends."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the libraries print must not get between the answers
    task = json.loads(sys.stdin.readline())
    begin = time.perf_counter()
    write = start(task)
    print(json.dumps({"start_seconds": time.perf_counter() - begin}), file=out, flush=True)
    for _ in sys.stdin:
        begin = time.perf_counter()
        texts = write(task["prompts"])
        seconds = time.perf_counter() - begin
        print(json.dumps(_answer(texts, seconds)), file=out, flush=True)


def _answer(texts: list[list[int]], seconds: float) -> dict[str, Any]:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": seconds,
        "texts": texts,
        "peak_rss_bytes": peak * (1 if sys.platform == "darwin" else 1024),
    }
