"""What generated text may be, as a finite automaton over a model's tokens: all of it data."""

from __future__ import annotations

import dataclasses

import jax
from jaxtyping import Array, Bool, Int

START = 0
"""The state in which every output begins."""
NEVER = 1 << 30
"""`closing` of a state from which nothing ends; more than any number of tokens."""


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TokenAutomaton:
    """States, and where each kind of token leads; padded to powers of two, state 0 is the start.

    Tokens that lead to the same states from everywhere are one class. Class 0 is of the tokens
    that are allowed nowhere, control tokens among them.

    Attributes:
        class_of_token: int32, the class of each token.
        ends: the control tokens that end a text; allowed in accepting states alone.
        next: int32, the state after a token of each class; -1 where it is not allowed.
        accepting: states in which a text may end.
        closing: int32, the fewest further tokens to an accepting state; `NEVER` for padding.
        forced: int32, the one token allowed where exactly one is and no text may end; else -1.
    """

    class_of_token: Int[Array, " vocabulary"]
    ends: Bool[Array, " vocabulary"]
    next: Int[Array, "states classes"]
    accepting: Bool[Array, " states"]
    closing: Int[Array, " states"]
    forced: Int[Array, " states"]
