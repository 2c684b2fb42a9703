"""Peers that run in turn with the system under test, so that all of them meet the same machine."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.peers.peer import Peer, PeerMissingError, start_peer
from sqlax.models.tokenizer import Tokenizer

SLOW = {"llama.cpp row by row": 50}
"""Peers that get only the first so many rows: they would take minutes a run."""

Line = dict[str, Any]


class Race:
    """Starts the peers and lets each run whenever it is asked; see `lines` for the result.

    Args:
        systems: names of peers; one that is missing gets a line with the reason.
        file: the model's weights.
        prompts: as token ids.
        tokens: how many to write for each prompt.
    """

    def __init__(
        self,
        systems: Sequence[str],
        file: Path | None,
        prompts: Sequence[list[int]],
        tokens: int,
    ) -> None:
        self._tokens = tokens
        self._peers: dict[str, Peer | str] = {}
        for name in systems:
            rows = SLOW.get(name, len(prompts))
            task = {"model": str(file), "prompts": prompts[:rows], "tokens": tokens}
            try:
                self._peers[name] = start_peer(name, task)
            except PeerMissingError as error:
                self._peers[name] = str(error)

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

    def run(self) -> None:
        """One run of each peer; the first is its warm-up."""
        for name, peer in self._peers.items():
            try:
                if isinstance(peer, Peer):
                    peer.run()
            except PeerMissingError as error:
                self._peers[name] = str(error)

    def lines(self, ours: Mapping[str, Any], tokenizer: Tokenizer) -> list[Line]:
        """A line for each peer; `relative_throughput` is ours over the peer's."""
        return [
            {"workload": ours["workload"], "system": name, **self._measured(peer, ours, tokenizer)}
            for name, peer in self._peers.items()
        ]

    def _measured(self, peer: Peer | str, ours: Mapping[str, Any], tokenizer: Tokenizer) -> Line:
        if isinstance(peer, str):
            return {"missing": peer}
        seconds = statistics.median(peer.runs[1:] or peer.runs)
        rate = len(peer.texts) * self._tokens / seconds
        texts = [tokenizer.decode(text) for text in peer.texts]
        return {
            "rows": len(texts),
            "seconds": seconds,
            "rows_per_second": len(texts) / seconds,
            "written_per_second": rate,
            "relative_throughput": ours["written_per_second"] / rate,
            "equal_texts": sum(map(str.__eq__, texts, ours["texts"])) / len(texts),
            "start_seconds": peer.start_seconds,
            "peak_rss_bytes": peer.peak_rss_bytes,
            "runs": peer.runs,
        }
