"""The texts of a finished run by their ids."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.kinds import written
from sqlax.runtime.spell import spelled
from sqlax.runtime.state import ProgramState


class RunTexts:
    """Dictionary entries, then the texts that each operator has written, spelled at first use.

    Args:
        assembly: what was loaded.
        state: the last state.
    """

    def __init__(self, assembly: Assembly, state: ProgramState) -> None:
        self._assembly = assembly
        self._state = state

    @cached_property
    def values(self) -> pa.ChunkedArray:
        """All texts; ids are places in it, those of no text are NULL."""
        known = self._assembly.dictionary.values.cast(pa.string())
        gap = pa.nulls(self._assembly.capacities.codes - len(known), pa.string())
        operators = self._assembly.blueprint().operators
        made = []
        for operator, progress in zip(operators, self._state.operators, strict=True):
            texts = written(operator, progress)
            if texts is not None:
                tokens, length = np.asarray(texts.tokens), np.asarray(texts.length)
                made.append(spelled(tokens, length, operator.model.tokenizer))
        return pa.chunked_array([known, gap, *made])

    def of(self, text: int) -> str:
        """The text with an id."""
        if text < len(self._assembly.dictionary):
            return self._assembly.dictionary.texts(text, text + 1)[0]
        return str(self.values[text].as_py())
