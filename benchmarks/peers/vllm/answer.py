"""vLLM on the CPU with the same weights in bfloat16, compiled, with its prefix cache."""

from __future__ import annotations

import os
from typing import Any

from benchmarks.peers.worker import Run, Task, serve

BLOCK = 32
"""Tokens of a block of its cache: with the default of 128 no prefix of 120 tokens would be kept."""


def start(task: Task) -> Run:
    """Load the model; a run writes texts or chooses labels."""
    _settle(task["threads"])
    import vllm

    from benchmarks.peers.transformers.model import saved

    engine = vllm.LLM(
        str(saved(task)),
        dtype="bfloat16",
        max_model_len=512,
        block_size=BLOCK,
        enable_prefix_caching=True,
        skip_tokenizer_init=True,
    )
    wanted = vllm.SamplingParams(temperature=0.0, detokenize=False, **_wish(task))
    prompts = [{"prompt_token_ids": prompt} for prompt in task["prompts"]]

    def run(rows: int) -> list[Any]:
        engine.reset_prefix_cache()  # what an earlier run has left is no part of the work
        found = engine.generate(prompts[:rows], wanted, use_tqdm=False)
        texts = [[*one.outputs[0].token_ids] for one in found]
        return texts if task["kind"] == "write" else [task["label_ids"].index(t) for (t,) in texts]

    return run


def _settle(threads: int) -> None:
    """What vLLM reads from its environment when it is imported."""
    settings = {
        "VLLM_CPU_KVCACHE_SPACE": "4",
        "VLLM_CPU_OMP_THREADS_BIND": f"0-{threads - 1}",
        "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
        "VLLM_NO_USAGE_STATS": "1",
    }
    os.environ.update(settings)


def _wish(task: Task) -> dict[str, Any]:
    """One of the labels' tokens, or exactly so many of any."""
    if task["kind"] == "label":
        return {"max_tokens": 1, "allowed_token_ids": task["label_ids"]}
    tokens = task["tokens"]
    return {"min_tokens": tokens, "max_tokens": tokens, "ignore_eos": True}


if __name__ == "__main__":
    serve(start)
