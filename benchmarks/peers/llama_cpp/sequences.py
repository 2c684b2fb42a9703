"""Several sequences in one context; each keeps what its next prompt begins with too."""

from __future__ import annotations

from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

CONTEXT = 512
"""Positions of a sequence."""
STEP = 512
"""Most tokens that are computed at once; the library's own default."""
_ALL = -1

Prompt = list[int]
Logits = list[npt.NDArray[np.float32]]


class Sequences:
    """A context of sequences of their own; the library's class makes one of one.

    Args:
        llama: the library's object, which owns the model.
        count: number of sequences.
    """

    def __init__(self, llama: Any, count: int) -> None:
        wanted, places = llama.context_params, CONTEXT * count
        wanted.n_ctx, wanted.n_batch, wanted.n_ubatch = places, places, STEP
        wanted.n_seq_max, wanted.kv_unified = count, False
        self.count = count
        self._llama = llama
        self._context = llama_cpp.llama_init_from_model(llama.model, wanted)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(places, 0, 1)
        self._held: list[Prompt] = [[] for _ in range(count)]

    def begin(self, prefix: Prompt) -> None:
        """Forget everything, then read a prefix once for all sequences."""
        llama_cpp.llama_memory_clear(self._memory, True)
        self._held = [[] for _ in range(self.count)]
        if not prefix:
            return
        self.read([prefix])
        for row in range(1, self.count):
            llama_cpp.llama_memory_seq_cp(self._memory, 0, row, _ALL, _ALL)
            self._held[row] = prefix

    def read(self, prompts: list[Prompt]) -> Logits:
        """The logits behind each prompt, one prompt a sequence; valid until the next call."""
        self._batch.n_tokens = 0
        last = [self._put(row, prompt) for row, prompt in enumerate(prompts)]
        if llama_cpp.llama_decode(self._context, self._batch):
            raise RuntimeError("llama.cpp could not decode a batch")
        return [self._logits(place) for place in last]

    def _put(self, row: int, prompt: Prompt) -> int:
        """Put what the sequence does not hold yet into the batch; the place of the last token."""
        kept = _shared(self._held[row], prompt)
        llama_cpp.llama_memory_seq_rm(self._memory, row, kept, _ALL)
        self._held[row] = prompt
        batch, place = self._batch, int(self._batch.n_tokens)
        for position in range(kept, len(prompt)):
            batch.token[place], batch.pos[place] = prompt[position], position
            batch.n_seq_id[place], batch.seq_id[place][0] = 1, row
            batch.logits[place] = position == len(prompt) - 1
            place += 1
        batch.n_tokens = place
        return place - 1

    def _logits(self, place: int) -> npt.NDArray[np.float32]:
        found = llama_cpp.llama_get_logits_ith(self._context, place)
        return np.ctypeslib.as_array(found, (self._llama.n_vocab(),))


def _shared(held: Prompt, prompt: Prompt) -> int:
    """How many tokens both begin with; the prompt's last one is always read anew."""
    most = min(len(held), len(prompt) - 1)
    if held[:most] == prompt[:most]:
        return most
    return next(at for at in range(most) if held[at] != prompt[at])
