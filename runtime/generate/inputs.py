"""What a generate operator reads."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Float, Int, UInt32

from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.generate.stop import Stop
from sqlax.runtime.prompt.inputs import PromptInputs


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class Sampling:
    """How a token is drawn; numbers that do not cut anything are 1, the vocabulary's size and 0.

    Attributes:
        temperature: logits are divided by it; 0 takes the likeliest token.
        top_k: only so many of the likeliest tokens, int32.
        top_p: only the likeliest tokens that have so much of the probability together.
        min_p: only tokens with at least that share of the likeliest one's probability.
        seed: of the random numbers, uint32.
    """

    temperature: Float[Array, ""]
    top_k: Int[Array, ""]
    top_p: Float[Array, ""]
    min_p: Float[Array, ""]
    seed: UInt32[Array, ""]


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class GenerateInputs(PromptInputs):
    """One generate operator's constants.

    Attributes:
        max_tokens: most tokens of a text, int32.
        min_tokens: tokens before which no text ends by choice, int32.
        automaton: what the text may be.
        sampling: how tokens are drawn.
        stop: what texts are cut with; None where there are no stop strings.
    """

    max_tokens: Int[Array, ""]
    min_tokens: Int[Array, ""]
    automaton: TokenAutomaton
    sampling: Sampling
    stop: Stop | None = None
