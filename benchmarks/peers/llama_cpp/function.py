"""DuckDB with a function over llama.cpp, which answers row by row."""

from __future__ import annotations

from benchmarks.peers.arrow_function import run_over
from benchmarks.peers.llama_cpp.answer import choose
from benchmarks.peers.llama_cpp.model import load
from benchmarks.peers.llama_cpp.sequences import Sequences
from benchmarks.peers.worker import Run, Task, serve


def start(task: Task) -> Run:
    """Load the model and make the table and the function; a run is one query."""
    llama = load(task)
    sequences = Sequences(llama, 1)

    def classify(prompts: list[str]) -> list[int]:
        read = [llama.tokenize(prompt.encode(), add_bos=False) for prompt in prompts]
        return choose(sequences, read, task["label_ids"])

    return run_over(task, classify)


if __name__ == "__main__":
    serve(start)
