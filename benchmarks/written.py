"""A report's line for a query that writes texts."""

from __future__ import annotations

import resource
import sys
from typing import Any

from benchmarks.timing import Timing
from sqlax.compiler.written_report import WrittenReport

_RSS_UNIT = 1 if sys.platform == "darwin" else 1024

Line = dict[str, Any]


def written_line(workload: str, timing: Timing) -> Line:
    """What one query's runs took, prompts included, and what its operator did."""
    (operator,) = timing.report.operators
    assert operator.written is not None
    return {
        "workload": workload,
        "system": "sqlax",
        "rows": len(timing.rows),
        "seconds": timing.seconds,
        "compile_seconds": timing.compile_seconds,
        "rows_per_second": len(timing.rows) / timing.seconds,
        "tokens_per_second": timing.report.tokens / timing.seconds,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT,
        "tokens": timing.report.tokens,
        "runs": timing.runs,
        "warm_traces": timing.warm_traces,
        **_written(operator.written, timing.seconds),
    }


def _written(written: WrittenReport, seconds: float) -> Line:
    return {
        "written_tokens": written.tokens,
        "written_per_second": written.tokens / seconds,
        "occupancy": written.occupancy,
        "steps": written.steps,
        "chunks": written.chunks,
        "pages": written.pages,
        "unused_positions": written.unused,
    }
