"""The rate of one matrix product, against which an operator's rate is held."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp

ROWS, DEPTH, COLUMNS = 1024, 576, 1536
_FLOPS = 2 * ROWS * DEPTH * COLUMNS
_CALLS = 20
_SAMPLES_AT_ONCE = 5
_COPIED_BYTES = 10**9


@jax.jit
def _product(x: jax.Array, y: jax.Array) -> jax.Array:
    return jax.lax.dot(x, y, preferred_element_type=jnp.float32)


@dataclass
class Roof:
    """GFLOP/s of a bf16-in, float32-out product of 1024 x 576 x 1536, sampled when asked.

    Samples are taken between the runs of what is measured, so that both meet the same machine:
    another process's load lowers the two together.

    Attributes:
        samples: GFLOP/s of each series of products.
    """

    samples: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._x = jnp.ones((ROWS, DEPTH), jnp.bfloat16)
        self._y = jnp.ones((DEPTH, COLUMNS), jnp.bfloat16)
        _product(self._x, self._y).block_until_ready()

    def sample(self) -> None:
        """Time a few series of products; the first one warms the processor and is dropped."""
        self._series()
        self.samples += [self._series() for _ in range(_SAMPLES_AT_ONCE)]

    def _series(self) -> float:
        begin = time.perf_counter()
        for _ in range(_CALLS):
            product = _product(self._x, self._y)
        product.block_until_ready()
        return _CALLS * _FLOPS / (time.perf_counter() - begin) / 1e9

    @property
    def gflops(self) -> float:
        """The median: what `roof_share` is measured against."""
        return statistics.median(self.samples)

    @property
    def best_gflops(self) -> float:
        """The highest sample."""
        return max(self.samples)

    def fields(self) -> dict[str, Any]:
        """What a report says of the samples."""
        return {
            "roof_gflops": self.gflops,
            "roof_best_gflops": self.best_gflops,
            "roof_samples": self.samples,
        }


def copy_rate() -> float:
    """Gigabytes read and written a second, copying one: the median of a few copies.

    It takes two gigabytes of memory, so it comes when a process's peak has been read.
    """
    given = jnp.zeros(_COPIED_BYTES // 4, jnp.float32)
    copy = jax.jit(jnp.copy)
    copy(given).block_until_ready()
    return 2 * _COPIED_BYTES / 1e9 / statistics.median(_seconds(copy, given) for _ in range(5))


def _seconds(copy: Callable[[jax.Array], jax.Array], given: jax.Array) -> float:
    begin = time.perf_counter()
    copy(given).block_until_ready()
    return time.perf_counter() - begin
