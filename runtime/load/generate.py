"""One generate operator's constants: its prompt, what the text may be, how tokens are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.generate.inputs import GenerateInputs, Sampling
from sqlax.runtime.generate.stop import Stop
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.load.prompt import LoadedOperator, Loading, load_prompt
from sqlax.runtime.prompt.layout import PromptLayout


@dataclass(frozen=True)
class Drawing:
    """How texts are drawn, as numbers; see `GenerateInputs` and `Sampling`."""

    max_tokens: int
    min_tokens: int
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    seed: int

    def on_device(self) -> Sampling:
        """The same as arrays."""
        return Sampling(
            temperature=device_like(self.temperature, np.float32),
            top_k=device_like(self.top_k, np.int32),
            top_p=device_like(self.top_p, np.float32),
            min_p=device_like(self.min_p, np.float32),
            seed=device_like(self.seed % (1 << 32), np.uint32),
        )


def load_generate(
    layout: PromptLayout,
    loading: Loading,
    automaton: TokenAutomaton,
    drawing: Drawing,
    stop: Stop | None = None,
) -> LoadedOperator:
    """Tokenise the prompt's constants; the automaton accepts a text of at most `max_tokens`."""
    prompt = load_prompt(layout, loading)
    inputs = GenerateInputs(
        **prompt.fields,
        behind=device_like(drawing.max_tokens, np.int32),
        max_tokens=device_like(drawing.max_tokens, np.int32),
        min_tokens=device_like(drawing.min_tokens, np.int32),
        automaton=automaton,
        sampling=drawing.on_device(),
        stop=stop,
    )
    return LoadedOperator(inputs, prompt.parts, prompt.constant_tokens, prompt.slots)
