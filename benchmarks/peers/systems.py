"""The peers: what a report calls each, where it lives, what it can do."""

from __future__ import annotations

from dataclasses import dataclass

BOTH = ("label", "write")


@dataclass(frozen=True)
class System:
    """One peer.

    Attributes:
        folder: of its code, and of its environment.
        script: the file that is run.
        mode: what the script is told.
        kinds: the tasks it does.
        part: it gets the first of so many parts of the rows; more would take minutes a run. Systems
            whose batches grow with the rows have one or two parts.
        is_own: whether it runs in this process's environment and needs no other.
    """

    folder: str
    script: str = "answer.py"
    mode: str = "batched"
    kinds: tuple[str, ...] = BOTH
    part: int = 1
    is_own: bool = False


SYSTEMS = {
    "llama.cpp row by row": System("llama_cpp", mode="rows", part=8),
    "llama.cpp batched": System("llama_cpp", part=2),
    "transformers": System("transformers"),
    "vLLM": System("vllm"),
    "DuckDB function over llama.cpp": System("llama_cpp", "function.py", "rows", ("label",), 8),
    "DuckDB function over transformers": System(
        "transformers", "function.py", kinds=("label",), part=2
    ),
    "sqlax split": System("split", mode="split", part=4, is_own=True),
}
"""By the name that a line of a report has."""


def systems_for(kind: str) -> tuple[str, ...]:
    """The names of the peers that do a kind of task."""
    return tuple(name for name, system in SYSTEMS.items() if kind in system.kinds)
