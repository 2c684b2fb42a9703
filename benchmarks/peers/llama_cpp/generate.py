"""llama.cpp on the same weights in BF16: row by row, or `BATCH` sequences a batch."""

from __future__ import annotations

import ctypes
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import llama_cpp
import numpy as np

from benchmarks.peers.worker import Task, Write, serve

BATCH = 32
"""Sequences a batch."""
CONTEXT = 512
"""Positions of a sequence."""


def start(task: Task) -> Write:
    """Load the model; the returned function writes texts."""
    path = _in_bf16(Path(task["model"]), Path(task["scratch"]))
    llama = llama_cpp.Llama(
        str(path),
        n_ctx=CONTEXT,
        n_batch=2048,
        n_threads=task["threads"],
        n_threads_batch=task["threads"],
        verbose=False,
    )
    if task["mode"] == "rows":
        return lambda prompts: [_one(llama, prompt, task["tokens"]) for prompt in prompts]
    sequences = _sequences(llama)
    return lambda prompts: _all(sequences, prompts, task["tokens"])


class Sequences(NamedTuple):
    """A context of `BATCH` sequences of their own; the library's class makes one of one.

    Attributes:
        llama: the class's object, which owns the model.
        context: the library's handle.
    """

    llama: Any
    context: Any


def _sequences(llama: Any) -> Sequences:
    wanted = llama.context_params
    wanted.n_ctx, wanted.n_seq_max, wanted.kv_unified = CONTEXT * BATCH, BATCH, False
    return Sequences(llama, llama_cpp.llama_init_from_model(llama.model, wanted))


def _in_bf16(path: Path, scratch: Path) -> Path:
    """The model's file in BF16, made once: Q4_1 is llama.cpp's slow path."""
    target = scratch / f"{path.stem}.bf16.gguf"
    if not target.exists():
        scratch.mkdir(parents=True, exist_ok=True)
        wanted = llama_cpp.llama_model_quantize_default_params()
        wanted.ftype = llama_cpp.LLAMA_FTYPE_MOSTLY_BF16
        wanted.allow_requantize = True
        part = target.with_suffix(".part")
        if llama_cpp.llama_model_quantize(
            str(path).encode(), str(part).encode(), ctypes.byref(wanted)
        ):
            raise RuntimeError(f"llama.cpp could not turn {path} into BF16")
        part.rename(target)
    return target


def _one(llama: Any, prompt: list[int], tokens: int) -> list[int]:
    """The longest prefix in common with the last prompt is kept by the library."""
    return list(islice(llama.generate(prompt, temp=0.0, repeat_penalty=1.0), tokens))


def _all(sequences: Sequences, prompts: list[list[int]], tokens: int) -> list[list[int]]:
    texts: list[list[int]] = []
    for at in range(0, len(prompts), BATCH):
        texts += _batch(sequences, prompts[at : at + BATCH], tokens)
    return texts


def _batch(sequences: Sequences, prompts: list[list[int]], tokens: int) -> list[list[int]]:
    """All prompts at once, then one token of each at a time."""
    context = sequences.context
    llama_cpp.llama_memory_clear(llama_cpp.llama_get_memory(context), True)
    batch = llama_cpp.llama_batch_init(2048, 0, 1)
    texts: list[list[int]] = [[] for _ in prompts]
    new, held = prompts, [0] * len(prompts)
    for _ in range(tokens):
        last = _put(batch, new, held)
        if llama_cpp.llama_decode(context, batch):
            raise RuntimeError("llama.cpp could not decode a batch")
        held = [before + len(run) for before, run in zip(held, new, strict=True)]
        new = [[_likeliest(sequences, place)] for place in last]
        for text, run in zip(texts, new, strict=True):
            text += run
    llama_cpp.llama_batch_free(batch)
    return texts


def _put(batch: Any, new: list[list[int]], held: list[int]) -> list[int]:
    """Fill the batch; the places of the rows' last tokens."""
    place, last = 0, []
    for row, (run, before) in enumerate(zip(new, held, strict=True)):
        for offset, token in enumerate(run):
            batch.token[place] = token
            batch.pos[place] = before + offset
            batch.n_seq_id[place] = 1
            batch.seq_id[place][0] = row
            batch.logits[place] = offset == len(run) - 1
            place += 1
        last.append(place - 1)
    batch.n_tokens = place
    return last


def _likeliest(sequences: Sequences, place: int) -> int:
    logits = llama_cpp.llama_get_logits_ith(sequences.context, place)
    return int(np.argmax(np.ctypeslib.as_array(logits, (sequences.llama.n_vocab(),))))


if __name__ == "__main__":
    serve(start)
