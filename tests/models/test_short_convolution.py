"""Packed short convolution: the values of kv_conformance.md, section 8."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sqlax.models.short_convolution import short_convolution

WIDTH = 4
CHANNELS = 8
TOKENS = 4096
ROWS = 32
SPLITS = [
    pytest.param([0, 1, 2, 3, 7, 4083], id="few and many"),
    pytest.param([128] * 32, id="at most 128"),
    pytest.param([1024, 0, 1024, 1024, 1024], id="at most 1024"),
    pytest.param([1] * 31 + [4065], id="at most 4065"),
    pytest.param([5, 4, 0, 0, 3], id="mostly padding"),
]

Rows = list[np.ndarray]


def draw(lengths: list[int], seed: int = 0) -> tuple[Rows, Rows, np.ndarray]:
    """Each row's inputs and carried state, and the weights."""
    rng = np.random.default_rng(seed)
    inputs = [rng.standard_normal((length, CHANNELS), np.float32) for length in lengths]
    states = [rng.standard_normal((WIDTH - 1, CHANNELS), np.float32) for _ in lengths]
    return inputs, states, rng.standard_normal((WIDTH, CHANNELS), np.float32)


def packed(inputs: Rows, states: Rows, weights: np.ndarray) -> tuple[Rows, Rows]:
    """Each row's outputs and new state, computed together in one flat run."""
    lengths = np.zeros(ROWS, np.int32)
    lengths[: len(inputs)] = [len(each) for each in inputs]
    starts = (np.cumsum(lengths) - lengths).astype(np.int32)
    row = np.full(TOKENS, ROWS, np.int32)
    row[: lengths.sum()] = np.repeat(np.arange(ROWS), lengths)
    tokens = np.full((TOKENS, CHANNELS), np.nan, np.float32)
    tokens[: lengths.sum()] = np.concatenate(inputs)
    state = np.zeros((ROWS, WIDTH - 1, CHANNELS), np.float32)
    state[: len(states)] = states
    output, state = jax.jit(short_convolution)(tokens, row, starts, lengths, state, weights)
    ends = np.cumsum(lengths)[: len(inputs)]
    return np.split(np.asarray(output), ends)[:-1], list(np.asarray(state)[: len(inputs)])


def reference(inputs: np.ndarray, state: np.ndarray, weights: np.ndarray) -> np.ndarray:
    line = np.concatenate([state, inputs]).astype(np.float64)
    windows = [line[at : at + WIDTH] for at in range(len(inputs))]
    return np.array([(window * weights).sum(0) for window in windows]).reshape(-1, CHANNELS)


@pytest.mark.parametrize("lengths", SPLITS)
def test_every_row_is_as_if_alone_and_padding_does_not_leak(lengths: list[int]) -> None:
    inputs, states, weights = draw(lengths)
    outputs, new_states = packed(inputs, states, weights)
    for one, state, output, new in zip(inputs, states, outputs, new_states, strict=True):
        np.testing.assert_allclose(output, reference(one, state, weights), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(new, np.concatenate([state, one])[-(WIDTH - 1) :])


@pytest.mark.parametrize("first", [0, 1, 2, 3, 7, 40])
def test_a_row_in_two_pieces_is_bit_equal_to_the_whole(first: int) -> None:
    inputs, states, weights = draw([40, 9])
    whole, state = packed(inputs[:1], states[:1], weights)
    head, between = packed([inputs[1], inputs[0][:first]], states[::-1], weights)
    tail, after = packed([inputs[0][first:]], between[1:], weights)
    np.testing.assert_array_equal(np.concatenate([head[1], tail[0]]), whole[0])
    np.testing.assert_array_equal(after[0], state[0])


def test_temporary_memory_does_not_depend_on_how_the_tokens_are_split() -> None:
    """One program serves every split (lengths are data), in far less than a padded row's memory.

    A padded version takes 32, 256 and 1017 MiB where the longest row has 128, 1024, 4065 tokens.
    """
    channels = 1024
    program = jax.jit(short_convolution).lower(
        jnp.zeros((TOKENS, channels), jnp.float32),
        jnp.zeros(TOKENS, jnp.int32),
        jnp.zeros(ROWS, jnp.int32),
        jnp.zeros(ROWS, jnp.int32),
        jnp.zeros((ROWS, WIDTH - 1, channels), jnp.float32),
        jnp.zeros((WIDTH, channels), jnp.float32),
    )
    memory = program.compile().memory_analysis()
    assert memory is not None
    assert memory.temp_size_in_bytes <= 0.1 * 2**20


def test_types_stay_what_they_are_in_a_process_with_wide_numbers() -> None:
    inputs, states, weights = draw([3, 5])
    narrow = packed(inputs, states, weights)
    with jax.enable_x64(True):
        wide = packed(inputs, states, weights)
    for left, right in zip([*narrow[0], *narrow[1]], [*wide[0], *wide[1]], strict=True):
        assert right.dtype == np.float32
        np.testing.assert_array_equal(left, right)
