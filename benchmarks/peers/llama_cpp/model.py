"""The model's file in BF16, loaded by llama.cpp."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import llama_cpp

from benchmarks.peers.worker import Task

SMALL = 64


def load(task: Task) -> Any:
    """The library's object for the model; its own context is small and not used."""
    path = _in_bf16(Path(task["model"]), Path(task["scratch"]))
    return llama_cpp.Llama(
        str(path),
        n_ctx=SMALL,
        n_batch=SMALL,
        n_ubatch=SMALL,
        n_threads=task["threads"],
        n_threads_batch=task["threads"],
        verbose=False,
    )


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
