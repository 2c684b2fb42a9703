"""The short causal depthwise convolution of recurrent layers (Mamba, GDN), over packed rows.

Rows of any lengths lie one after another in one flat run of tokens; what came before a row's first
token is its carried state. Nothing is padded to the longest row, so that the memory depends on the
tokens alone and not on how they are split into rows: each of the `width` terms reads the flat run
a few tokens further back, or the row's state where that would be before its start, and one loop
adds them up. The semantics are those of `causal_conv1d` of Dao and Gu's Mamba, with variable-length
rows and without its activation.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Array, Float, Int


def short_convolution(
    tokens: Float[Array, "tokens channels"],
    row: Int[Array, " tokens"],
    start: Int[Array, " rows"],
    length: Int[Array, " rows"],
    state: Float[Array, "rows before channels"],
    weights: Float[Array, "width channels"],
) -> tuple[Float[Array, "tokens channels"], Float[Array, "rows before channels"]]:
    """The convolution's output at every token, and each row's state behind its last token.

    Args:
        tokens: inputs of all rows, one row after another, padded.
        row: the row of each token; `rows` (one too many) for padding, whose output is anything.
        start: first flat position of each row.
        length: tokens of each row; the state of a row with 0 stays as it is.
        state: the `width - 1` inputs before each row's first token, the oldest first; zeros for
            a row that begins.
        weights: of each channel, the one for the current token last.
    """
    position = jnp.arange(tokens.shape[0], dtype=jnp.int32) - start.at[row].get(mode="clip")
    output = jnp.zeros((), tokens.dtype)
    for back in range(weights.shape[0]):
        term = _input(tokens, state, start, row, position - back)
        output += term * weights[weights.shape[0] - 1 - back]
    return output, _new_state(tokens, start, length, state)


def _new_state(
    tokens: Float[Array, "tokens channels"],
    start: Int[Array, " rows"],
    length: Int[Array, " rows"],
    state: Float[Array, "rows before channels"],
) -> Float[Array, "rows before channels"]:
    """The last inputs of each row, of which the first may still be from the old state."""
    rows, before, _ = state.shape
    row = jnp.arange(rows, dtype=jnp.int32)[:, None]
    position = length[:, None] - before + jnp.arange(before, dtype=jnp.int32)[None, :]
    return _input(tokens, state, start, row, position)


def _input(
    tokens: Float[Array, "tokens channels"],
    state: Float[Array, "rows before channels"],
    start: Int[Array, " rows"],
    row: Int[Array, "*#where"],
    position: Int[Array, "*#where"],
) -> Float[Array, "*where channels"]:
    """A row's input at a position counted from its start; a negative one lies in its state."""
    flat = start.at[row].get(mode="clip") + position
    here = tokens.at[flat].get(mode="clip")
    earlier = state.at[row, position + state.shape[1]].get(mode="clip")
    return jnp.where((position >= 0)[..., None], here, earlier)
