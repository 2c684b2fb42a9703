"""transformers on the same weights in bfloat16, in batches sorted by length."""

from __future__ import annotations

from benchmarks.peers.transformers.choose import choose
from benchmarks.peers.transformers.model import load
from benchmarks.peers.transformers.write import write
from benchmarks.peers.worker import Run, Task, serve


def start(task: Task) -> Run:
    """Load the model; a run writes texts or chooses labels."""
    model, prompts = load(task), task["prompts"]
    if task["kind"] == "label":
        return lambda rows: choose(model, prompts[:rows], task["label_ids"])
    return lambda rows: write(model, prompts[:rows], task["tokens"])


if __name__ == "__main__":
    serve(start)
