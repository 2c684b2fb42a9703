"""DuckDB with a function over transformers, which gets a column of prompts at a time."""

from __future__ import annotations

from pathlib import Path

import transformers

from benchmarks.peers.arrow_function import run_over
from benchmarks.peers.transformers.choose import choose
from benchmarks.peers.transformers.model import load
from benchmarks.peers.worker import Run, Task, serve


def start(task: Task) -> Run:
    """Load the model and make the table and the function; a run is one query."""
    model, path = load(task), Path(task["model"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)

    def classify(prompts: list[str]) -> list[int]:
        read = tokenizer(prompts, add_special_tokens=False)["input_ids"]
        return choose(model, read, task["label_ids"])

    return run_over(task, classify)


if __name__ == "__main__":
    serve(start)
