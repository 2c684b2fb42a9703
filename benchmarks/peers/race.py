"""Peers that run in turn with the system under test, so that all of them meet the same machine."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from benchmarks.metrics import accuracy
from benchmarks.peers.peer import Peer, PeerMissingError, start_peer
from benchmarks.peers.systems import SYSTEMS, systems_for
from benchmarks.peers.task import Task
from sqlax.models.tokenizer import Tokenizer

Line = dict[str, Any]

WARM_UP = 8
"""A peer's first run is over one of so many parts of its rows."""


class Race:
    """Starts the peers and lets each run whenever it is asked; see `lines` for the result.

    Args:
        task: what all peers do; None for a race without peers.
        tokenizer: reads the texts that peers give as token ids.
        names: the only systems to start; all that do the task where there are none.
    """

    def __init__(self, task: Task | None, tokenizer: Tokenizer, names: Sequence[str] = ()) -> None:
        self._tokenizer = tokenizer
        self._labels = () if task is None else task.question.labels
        self._tokens = 0 if task is None else task.question.tokens
        able = () if task is None else systems_for(task.kind)
        self._peers = {
            name: _started(name, task)
            for name in able
            if task is not None and (not names or name in names)
        }

    def __enter__(self) -> Race:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for peer in self._peers.values():
            if isinstance(peer, Peer):
                peer.close()

    @property
    def is_run(self) -> bool:
        """Whether there is any peer, installed or not."""
        return bool(self._peers)

    def run(self) -> None:
        """One run of each peer; the first is its warm-up, over a part of the rows."""
        for name, peer in self._peers.items():
            if isinstance(peer, Peer):
                self._peers[name] = _after_a_run(peer)

    def lines(
        self, ours: Mapping[str, Any], answers: Sequence[str], gold: Sequence[str] | None = None
    ) -> list[Line]:
        """A line for each peer, in the order of the systems.

        Args:
            ours: our own line, with its `rows`, `seconds` and `tokens`.
            answers: our own answers, row by row.
            gold: the true ones, where there are any.
        """
        return [
            {"workload": ours["workload"], "system": name, **self._line(peer, ours, answers, gold)}
            for name, peer in self._peers.items()
        ]

    def _line(
        self,
        peer: Peer | str,
        ours: Mapping[str, Any],
        answers: Sequence[str],
        gold: Sequence[str] | None,
    ) -> Line:
        if isinstance(peer, str):
            return {"missing": peer}
        said = self._texts(peer.answers)
        rows, line = len(said), self._speed(peer, ours)
        line["equal_answers"] = accuracy(said, answers[:rows])
        if gold is not None:
            line["accuracy"] = accuracy(said, gold[:rows])
            line["our_accuracy"] = accuracy(answers[:rows], gold[:rows])
        return line

    def _speed(self, peer: Peer, ours: Mapping[str, Any]) -> Line:
        """Useful tokens are ours, in proportion to the rows."""
        rows, seconds = len(peer.answers), statistics.median(peer.runs[1:] or peer.runs)
        line = {
            "rows": rows,
            "seconds": seconds,
            "rows_per_second": rows / seconds,
            "tokens_per_second": ours["tokens"] * rows / ours["rows"] / seconds,
            "relative_throughput": ours["rows"] / ours["seconds"] / (rows / seconds),
            "start_seconds": peer.start_seconds,
            "peak_rss_bytes": peer.peak_rss_bytes,
            "runs": peer.runs,
        }
        if self._tokens:
            line["written_per_second"] = rows * self._tokens / seconds
        return line

    def _texts(self, answers: Sequence[Any]) -> list[str]:
        """Answers as texts: a label by its place, a text by its token ids or as it is.

        Blanks around a text are left out, as in ours.
        """
        if self._labels:
            return [self._labels[place] for place in answers]
        texts = (a if isinstance(a, str) else self._tokenizer.decode(a) for a in answers)
        return [text.strip() for text in texts]


def _after_a_run(peer: Peer) -> Peer | str:
    """The peer, or why it ended."""
    try:
        peer.run(1 if peer.runs else WARM_UP)
    except PeerMissingError as error:
        peer.close()
        return str(error)
    return peer


def _started(name: str, task: Task) -> Peer | str:
    """The peer over its part of the rows, or why there is none."""
    try:
        return start_peer(name, task.first(max(1, len(task.texts) // SYSTEMS[name].part)))
    except PeerMissingError as error:
        return str(error)
