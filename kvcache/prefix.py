"""The key-value state of a constant prefix: computed once, read by every row of an operator."""

from __future__ import annotations

from typing import NamedTuple

from jaxtyping import Array, Bool, Float


class Cache(NamedTuple):
    """A prefix's keys and values in one layer, as attention wants them: heads outermost.

    Attributes:
        key: in the weights' dtype, rotary embedding applied.
        value: the same, with a column of ones behind it that sums the softmax.
    """

    key: Float[Array, "kv positions dim"]
    value: Float[Array, "kv positions dim_and_1"]


class Shared(NamedTuple):
    """A prefix's keys and values in one layer, and which positions of them exist."""

    cache: Cache
    present: Bool[Array, " positions"]
