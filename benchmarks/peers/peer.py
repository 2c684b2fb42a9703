"""Starts a peer in its own environment and asks it for timed runs, JSON lines to and fro."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.machine import ROOT
from benchmarks.peers.systems import SYSTEMS, System
from benchmarks.peers.task import Task

FEWEST = 64
"""Rows of the shortest run."""
HERE = Path(__file__).parent
HOME = Path(os.environ.get("SQLAX_PEERS") or Path.home() / ".cache" / "sqlax" / "peers")


class PeerMissingError(Exception):
    """The peer is not installed, does not start, or ended too early."""


@dataclass
class Peer:
    """A running peer.

    Attributes:
        name: one of `SYSTEMS`.
        log: what it prints.
        rows: how many there are.
        start_seconds: loading of library and model.
        runs: seconds of each run.
        answers: those of the last run; see `worker.Run`.
        peak_rss_bytes: largest resident size so far.
    """

    name: str
    process: subprocess.Popen[str]
    log: Path
    rows: int = 0
    start_seconds: float = 0.0
    runs: list[float] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    peak_rss_bytes: int = 0

    def start(self, task: dict[str, Any]) -> None:
        """Let it load its model."""
        self.rows = len(task["texts"])
        self.start_seconds = self._ask(json.dumps(task))["start_seconds"]

    def run(self, share: int = 1) -> None:
        """One more timed run, over the first of `share` parts of its rows, a batch at least."""
        answer = self._ask(str(max(-(-self.rows // share), min(self.rows, FEWEST))))
        self.runs.append(answer["seconds"])
        self.answers, self.peak_rss_bytes = answer["answers"], answer["peak_rss_bytes"]

    def close(self) -> None:
        """End the peer's process, if it has not ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _ask(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise PeerMissingError(f"ended with status {self.process.wait()}: {self._last_words()}")
        found: dict[str, Any] = json.loads(answer)
        return found

    def _last_words(self) -> str:
        """The last line it printed, which for Python is the exception."""
        lines = self.log.read_text(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no reason given")


def start_peer(name: str, task: Task) -> Peer:
    """Start a peer and let it load its model.

    Args:
        name: one of `SYSTEMS`.
        task: what it is to do in every run.

    Raises:
        PeerMissingError: with the reason, which goes into the report.
    """
    system = SYSTEMS[name]
    peer = _launched(name, system)
    fixed = {"mode": system.mode, "scratch": str(HOME / "models"), "threads": _cores()}
    try:
        peer.start({**fixed, **task.fields()})
    except PeerMissingError:
        peer.close()
        raise
    return peer


def _launched(name: str, system: System) -> Peer:
    python = Path(sys.executable) if system.is_own else HOME / system.folder / "bin" / "python"
    if not python.exists():
        raise PeerMissingError(f"not installed: benchmarks/peers/install.sh {system.folder}")
    log = HOME / "logs" / f"{name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as printed:
        process = subprocess.Popen(
            [str(python), str(HERE / system.folder / system.script)],
            env={**_environment(), "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            text=True,
        )
    return Peer(name, process, log)


def _environment() -> dict[str, str]:
    return {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": str(_cores())}


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
