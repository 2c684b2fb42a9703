"""The token pool: every text that prompts may read, tokenised once per distinct value.

When all texts together would need more tokens than allowed, the dictionary is cut into windows
of consecutive codes and one window is in the pool at a time; the program asks for the next.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.relation import bucket
from sqlax.runtime.score.inputs import TokenPool

Ints = npt.NDArray[np.int32]
DEFAULT_TOKEN_BUDGET = 1 << 26
"""Tokens that may be in the pool at once: 256 MiB."""


@dataclass(frozen=True)
class Window:
    """A range of dictionary codes, `last` excluded."""

    first: int
    last: int


class PoolBuilder:
    """Makes the token pools of one run.

    Args:
        tokenizer: turns text into tokens.
        dictionary: the strings of the run.
        wanted: which dictionary entries prompts may read.
        leads: leading texts, each of which every wanted entry is tokenised with.
        budget: most tokens in the pool at once.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        dictionary: StringDictionary,
        wanted: npt.NDArray[np.bool_],
        leads: tuple[str, ...],
        budget: int = DEFAULT_TOKEN_BUDGET,
    ) -> None:
        self._tokenizer = tokenizer
        self._dictionary = dictionary
        self._wanted = wanted
        self.leads = leads
        self._constants: list[int] = []
        self._lengths = np.zeros((max(1, len(leads)), len(dictionary)), np.int32)
        self._current: tuple[Window, Ints, Ints] | None = None
        self.windows = self._cut(budget)
        self._capacity = 0

    def constant(self, tokens: list[int]) -> tuple[int, int]:
        """Start and length of a constant run of tokens, which every window holds."""
        start = len(self._constants)
        self._constants.extend(tokens)
        return start, len(tokens)

    def measure(self) -> int:
        """Tokens of the longest wanted text under any lead; also fixes the pool's capacity."""
        most = 0
        for window in self.windows:
            self._current = window, *self._tokenise(window)
            lengths = self._current[2]
            self._lengths[: len(self.leads), window.first : window.last] = lengths
            most = max(most, int(lengths.sum()))
        self._capacity = bucket(len(self._constants) + most, 1024)
        return int(self._lengths.max(initial=0))

    def load(self, window: Window, codes: int) -> TokenPool:
        """The pool with one window of texts in it, over a dictionary capacity of `codes`."""
        if self._current is None or self._current[0] != window:
            self._current = window, *self._tokenise(window)
        _, tokens, lengths = self._current
        begin = len(self._constants)
        ends = begin + np.cumsum(lengths.reshape(-1), dtype=np.int64)
        starts = (ends - lengths.reshape(-1)).astype(np.int32).reshape(lengths.shape)
        whole = Window(0, len(self._dictionary))
        flat = np.zeros(self._capacity, np.int32)
        flat[:begin] = self._constants
        flat[begin : begin + len(tokens)] = tokens
        return TokenPool(
            tokens=device_like(flat, np.int32),
            start=device_like(self._spread(starts, window, codes), np.int32),
            length=device_like(self._spread(self._lengths, whole, codes), np.int32),
            first=device_like(window.first, np.int32),
            last=device_like(window.last, np.int32),
        )

    def window_of(self, code: int) -> Window:
        """The window that holds a dictionary code."""
        return next(w for w in self.windows if w.first <= code < w.last)

    def _tokenise(self, window: Window) -> tuple[Ints, Ints]:
        """Flat tokens, lead by lead, and lengths [leads, codes of the window]."""
        texts = self._dictionary.texts(window.first, window.last)
        wanted = np.flatnonzero(self._wanted[window.first : window.last])
        lengths = np.zeros((len(self.leads), len(texts)), np.int32)
        pieces: list[Ints] = []
        for number, lead in enumerate(self.leads):
            tokens, counts = self._tokenizer.encode_batch([lead + texts[i] for i in wanted])
            lengths[number, wanted] = counts
            pieces.append(tokens)
        return np.concatenate(pieces) if pieces else np.zeros(0, np.int32), lengths

    def _spread(self, values: Ints, window: Window, codes: int) -> Ints:
        spread = np.zeros((max(1, len(self.leads)), codes), np.int32)
        spread[: len(values), window.first : window.last] = values
        return spread

    def _cut(self, budget: int) -> tuple[Window, ...]:
        """Windows whose texts have at most `budget` bytes: no text has more tokens than bytes."""
        lead_bytes = sum(len(lead.encode()) for lead in self.leads)
        sizes = self._dictionary.byte_lengths() * len(self.leads) + lead_bytes
        ends = np.cumsum(np.where(self._wanted, sizes, 0))
        self.bytes_wanted = int(ends[-1]) if len(ends) else 0
        windows, first = [], 0
        while first < len(self._dictionary):
            used = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, used + budget, side="right")))
            windows.append(Window(first, last))
            first = last
        return tuple(windows) or (Window(0, 0),)
