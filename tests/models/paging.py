"""Runs of new tokens for pages, laid out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from sqlax.kvcache.paged import PAGE
from sqlax.models.language_model import GeneratingModel, PagedRows

Run = dict[int, Sequence[int]]
"""New tokens of some slots."""


class Book:
    """A model with pages of its own and slots that read and write them.

    Pages are dealt out in an order that no slot can be guessed from.
    """

    def __init__(
        self,
        model: GeneratingModel,
        slots: int,
        most: int,
        prefix: Sequence[int] = (),
        pages: int | None = None,
    ) -> None:
        """`most` pages a slot, from arrays of `pages` of them."""
        count = pages or slots * most + 1
        order = np.random.default_rng(3).permutation(np.arange(1, count, dtype=np.int32))
        self.model, self.prefix = model, np.asarray(prefix, np.int32)
        self.table = order[: slots * most].reshape(slots, most)
        self.before = np.zeros(slots, np.int32)
        self.prompt = np.zeros(slots, np.int32)
        self.pages: Any = model.new_pages(count)
        prefill, self._extend, self._logits = _compiled(model)
        self.state = prefill(model.params, self.prefix, np.int32(len(prefix)))

    def extend(self, new: Run, tokens: int, capacity: int, *, is_text: bool = False) -> Any:
        """Logits after each slot's last new token; anything for slots without any."""
        for slot, added in () if is_text else new.items():
            self.prompt[slot] = self.before[slot] + len(added)
        rows = lay(new, self.before, self.prompt, self.table, tokens, capacity)
        length = np.int32(len(self.prefix))
        with jax.numpy_dtype_promotion("strict"):
            hidden, self.pages = self._extend(
                self.model.params, self.state, length, rows, self.pages
            )
            logits = np.asarray(self._logits(self.model.params, hidden))
        self.before += np.asarray(rows.length)
        return logits

    def step(self, new: dict[int, int]) -> Any:
        """Logits after one new token of some slots."""
        tokens: Run = {slot: [token] for slot, token in new.items()}
        return self.extend(tokens, len(self.before), 1, is_text=True)

    def clear(self, slot: int) -> None:
        """Let the slot begin anew; its pages keep what they hold."""
        self.before[slot] = 0


_COMPILED: dict[int, tuple[Any, ...]] = {}


def _compiled(model: GeneratingModel) -> tuple[Any, ...]:
    """The model's functions, compiled once for all books; a model among them keeps its id."""
    key = id(model)
    if key not in _COMPILED:
        made = (jax.jit(f) for f in (model.prefill, model.extend, model.logits))
        _COMPILED[key] = (*made, model)
    return _COMPILED[key][:3]


def lay(
    new: Run,
    before: npt.NDArray[np.int32],
    prompt: npt.NDArray[np.int32],
    table: npt.NDArray[np.int32],
    tokens: int,
    capacity: int,
) -> PagedRows:
    """The run with the slots' tokens one after another, or at their slots' numbers if one each."""
    slots = len(before)
    flat, row = np.full(tokens, 1, np.int32), np.full(tokens, slots, np.int32)
    start, length = np.zeros(slots, np.int32), np.zeros(slots, np.int32)
    at = 0
    for slot in range(slots):
        at = slot if capacity == 1 else at
        start[slot], length[slot] = at, len(new.get(slot, ()))
        assert length[slot] <= capacity
        assert at + length[slot] <= tokens
        assert before[slot] + length[slot] <= len(table[slot]) * PAGE
        flat[at : at + length[slot]], row[at : at + length[slot]] = list(new.get(slot, ())), slot
        at += length[slot]
    made = (jnp.array(x) for x in (flat, row, start, length, before, prompt, table))
    return PagedRows(*made, row_capacity=capacity)  # type: ignore[arg-type, misc]
