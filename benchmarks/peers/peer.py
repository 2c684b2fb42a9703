"""Starts a peer in its own environment and asks it for timed runs, JSON lines to and fro."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT

HERE = Path(__file__).parent
HOME = Path(os.environ.get("SQLAX_PEERS") or Path.home() / ".cache" / "sqlax" / "peers")
SYSTEMS = {
    "llama.cpp row by row": ("llama_cpp", "rows"),
    "llama.cpp batched": ("llama_cpp", "batched"),
    "transformers": ("transformers", "batched"),
}
"""What a line of a report calls a peer: its folder and its mode."""


class PeerMissingError(Exception):
    """The peer is not installed, or does not start."""


@dataclass
class Peer:
    """A running peer.

    Attributes:
        name: one of `SYSTEMS`.
        start_seconds: loading of library and model.
        runs: seconds of each run.
        texts: token ids of the last run's texts.
        peak_rss_bytes: largest resident size so far.
    """

    name: str
    process: subprocess.Popen[str]
    start_seconds: float
    runs: list[float] = field(default_factory=list)
    texts: list[list[int]] = field(default_factory=list)
    peak_rss_bytes: int = 0

    def run(self) -> None:
        """One more timed run."""
        answer = _ask(self.process, "run")
        self.runs.append(answer["seconds"])
        self.texts, self.peak_rss_bytes = answer["texts"], answer["peak_rss_bytes"]

    def close(self) -> None:
        """End the peer's process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def start_peer(name: str, task: Mapping[str, object]) -> Peer:
    """Start a peer and let it load its model.

    Args:
        name: one of `SYSTEMS`.
        task: `model`, the file; `prompts`, token ids; `tokens`, how many to write for each.

    Raises:
        PeerMissingError: with the reason, which goes into the report.
    """
    folder, mode = SYSTEMS[name]
    python = HOME / folder / "bin" / "python"
    if not python.exists():
        raise PeerMissingError(f"not installed: benchmarks/peers/install.sh {folder}")
    process = subprocess.Popen(
        [str(python), str(HERE / folder / "generate.py")],
        env={**_environment(), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    fixed = {"mode": mode, "scratch": str(HOME / "models"), "threads": _cores()}
    answer = _ask(process, json.dumps({**fixed, **task}))
    return Peer(name, process, answer["start_seconds"])


def _ask(process: subprocess.Popen[str], line: str) -> dict[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(line + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    if not answer:
        raise PeerMissingError(f"ended with status {process.wait()}")
    found: dict[str, Any] = json.loads(answer)
    return found


def _environment() -> dict[str, str]:
    return {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(_cores())}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
