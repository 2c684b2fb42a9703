"""Where a figure comes from: command, machine, commit and date."""

from __future__ import annotations

import datetime as dt
import os
import platform
import shlex
import subprocess
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_CPU_INFO = Path("/proc/cpuinfo")
_WRITTEN_HERE = (":!benchmarks/results", ":!benchmarks/README.md")
"""Files that the benchmarks write themselves: changed, they change no figure."""
_BF16_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")


def provenance(benchmark: str, arguments: Sequence[str]) -> dict[str, object]:
    """The fields that every report begins with."""
    return {
        "benchmark": benchmark,
        "command": shlex.join(["python", "-m", f"benchmarks.{benchmark}", *arguments]),
        "machine": describe_machine(),
        "commit": commit(),
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    }


def describe_machine() -> dict[str, object]:
    """Processor, usable cores, its bf16 instructions, JAX's version and backend."""
    import jax

    info = _cpu_info()
    flags = (info.get("flags") or info.get("Features") or "").split()
    return {
        "cpu": info.get("model name") or platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "bf16": [flag for flag in _BF16_FLAGS if flag in flags],
        "jax": version("jax"),
        "backend": jax.default_backend(),
        "python": platform.python_version(),
    }


def commit() -> str:
    """The checked-out commit, with `+` behind it where tracked files were changed."""
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", *_WRITTEN_HERE)
    return f"{head}+" if changed else head


def _cpu_info() -> dict[str, str]:
    """The first processor's lines of /proc/cpuinfo; empty where there is none."""
    if not _CPU_INFO.exists():
        return {}
    first = _CPU_INFO.read_text().split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or ("unknown" if words[0] == "rev-parse" else "")
