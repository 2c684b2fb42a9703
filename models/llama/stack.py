"""A model's layers but the last, as separate arrays or as one stacked array looped over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import jax
from flax import nnx
from jaxtyping import Array, Float

from sqlax.models.llama.block import Block

Step: TypeAlias = Callable[[Block, Float[Array, "tokens width"], Any], tuple[Array, Any]]
"""Takes a layer, the residual stream and the layer's input; returns the stream and an output."""


class Unrolled(nnx.Module):
    """Layers with arrays of their own: the fastest on a CPU."""

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = nnx.List(blocks)

    def run(self, step: Step, x: Float[Array, "tokens width"], inputs: Any) -> tuple[Array, Any]:
        """`step` through all layers; `inputs` has one item a layer or is None."""
        outputs = []
        for i, block in enumerate(self.blocks):
            x, output = step(block, x, None if inputs is None else inputs[i])
            outputs.append(output)
        return x, tuple(outputs)


class Scanned(nnx.Module):
    """Layers stacked along a new first axis of every array: compiled once, for TPU and GPU."""

    def __init__(self, blocks: Block) -> None:
        self.blocks = blocks

    def run(self, step: Step, x: Float[Array, "tokens width"], inputs: Any) -> tuple[Array, Any]:
        """`step` through all layers; `inputs` is stacked like the layers or is None."""
        graph, weights = nnx.split(self.blocks)

        def body(x: Array, layer: tuple[Any, Any]) -> tuple[Array, Any]:
            return step(nnx.merge(graph, layer[0]), x, layer[1])

        return jax.lax.scan(body, x, (weights, inputs))
