"""The token pool: every text that prompts may read, tokenised once per distinct value.

When all texts together would need more tokens than allowed, the dictionary is cut into windows
of consecutive codes. The pool holds as many windows at a time as a prompt has values, and the
program asks for those it needs next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.dictionary import StringDictionary
from sqlax.runtime.prompt.inputs import TokenPool
from sqlax.runtime.relation import bucket

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
        ways: windows in the pool at once: the most values that a prompt has.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        dictionary: StringDictionary,
        wanted: npt.NDArray[np.bool_],
        leads: tuple[str, ...],
        budget: int = DEFAULT_TOKEN_BUDGET,
        ways: int = 1,
    ) -> None:
        self._tokenizer = tokenizer
        self._dictionary = dictionary
        self._wanted = wanted
        self.leads = leads
        self._constants: list[int] = []
        self._lengths = np.zeros((max(1, len(leads)), len(dictionary)), np.int32)
        self._tokenised: dict[Window, tuple[Ints, Ints]] = {}
        self._ways = ways
        self.windows = self._cut(max(1, budget // ways))
        self._capacity = 0

    def constant(self, tokens: list[int]) -> tuple[int, int]:
        """Start and length of a constant run of tokens, which every window holds."""
        start = len(self._constants)
        self._constants.extend(tokens)
        return start, len(tokens)

    def measure(self) -> int:
        """Tokens of the longest wanted text under any lead; also fixes the pool's capacity."""
        sizes = []
        for window in self.windows:
            lengths = self._texts_of((window,))[window][1]
            self._lengths[: len(self.leads), window.first : window.last] = lengths
            sizes.append(int(lengths.sum()))
        most = sum(sorted(sizes)[-self._ways :])
        self._capacity = bucket(len(self._constants) + most, 1024)
        return int(self._lengths.max(initial=0))

    def load(self, wanted: Sequence[int], codes: int) -> TokenPool:
        """The pool with the windows of some dictionary codes in it.

        Args:
            wanted: as many codes as there are ways, or fewer.
            codes: the dictionary's capacity.
        """
        windows = tuple(dict.fromkeys(self.window_of(code) for code in wanted))
        flat = np.zeros(self._capacity, np.int32)
        start = np.zeros((max(1, len(self.leads)), codes), np.int32)
        begin = len(self._constants)
        flat[:begin] = self._constants
        for window, (tokens, lengths) in self._texts_of(windows).items():
            flat[begin : begin + len(tokens)] = tokens
            ends = begin + np.cumsum(lengths.reshape(-1), dtype=np.int64)
            starts = (ends - lengths.reshape(-1)).reshape(lengths.shape)
            start[: len(starts), window.first : window.last] = starts
            begin += len(tokens)
        padded = windows + windows[:1] * (self._ways - len(windows))
        return TokenPool(
            tokens=device_like(flat, np.int32),
            start=device_like(start, np.int32),
            length=device_like(_widened(self._lengths, codes), np.int32),
            first=device_like([window.first for window in padded], np.int32),
            last=device_like([window.last for window in padded], np.int32),
        )

    def first_codes(self) -> tuple[int, ...]:
        """A code of each window that the pool holds at first."""
        return tuple(window.first for window in self.windows[: self._ways])

    def window_of(self, code: int) -> Window:
        """The window that holds a dictionary code; the first one for a code that is in none."""
        found = (window for window in self.windows if window.first <= code < window.last)
        return next(found, self.windows[0])

    def _texts_of(self, windows: tuple[Window, ...]) -> dict[Window, tuple[Ints, Ints]]:
        """Tokens and lengths of some windows; those of the last call are kept, no others."""
        known = self._tokenised
        self._tokenised = {w: known[w] if w in known else self._tokenise(w) for w in windows}
        return self._tokenised

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

    def _cut(self, budget: int) -> tuple[Window, ...]:
        """Windows whose texts have at most `budget` bytes: no text has more tokens than bytes."""
        lead_bytes = sum(len(lead.encode()) for lead in self.leads)
        sizes = self._dictionary.byte_lengths() * len(self.leads) + lead_bytes
        ends = np.cumsum(np.where(self._wanted, sizes, 0))
        windows, first = [], 0
        while first < len(self._dictionary):
            used = int(ends[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(ends, used + budget, side="right")))
            windows.append(Window(first, last))
            first = last
        return tuple(windows) or (Window(0, 0),)


def _widened(values: Ints, capacity: int) -> Ints:
    return np.pad(values, ((0, 0), (0, capacity - values.shape[1])))
