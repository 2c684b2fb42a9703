"""A model's layers but the last, as separate arrays or as one stacked array looped over."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int

from sqlax.models.llama.block import Block
from sqlax.models.llama.paged import Store, copy_pages

Step: TypeAlias = Callable[[Block, Float[Array, "tokens width"], Any], tuple[Array, Any]]
"""Takes a layer, the residual stream and the layer's input; returns the stream and an output."""

StoreStep: TypeAlias = Callable[
    [Block, Float[Array, "tokens width"], Any, Store, Int[Array, ""]], tuple[Array, Store]
]
"""Takes also the pages of one layer or more, and which page of them is the layer's page 0."""


class Unrolled(nnx.Module):
    """Layers with arrays of their own: the fastest on a CPU.

    A step is traced and lowered once for all layers; XLA gets a call of it for each.
    """

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = nnx.List(blocks)

    def run(self, step: Step, x: Float[Array, "tokens width"], inputs: Any) -> tuple[Array, Any]:
        """`step` through all layers; `inputs` has one item a layer or is None."""
        outputs, once = [], _once(step)
        for i, block in enumerate(self.blocks):
            x, output = once(nnx.split(block), x, None if inputs is None else inputs[i])
            outputs.append(output)
        return x, tuple(outputs)

    def run_in_loop(self, step: Step, x: Float[Array, "tokens width"]) -> tuple[Array, Any]:
        """`run` without inputs, small in the program: a loop that copies each layer's weights.

        For what is done once a query: written out, it would be as large as what is done for rows.
        """
        layers = [nnx.split(block) for block in self.blocks]
        if not layers:
            return x, ()
        choices = [partial(_same, weights) for _, weights in layers]

        def body(x: Array, number: Int[Array, ""]) -> tuple[Array, Any]:
            return step(nnx.merge(layers[0][0], jax.lax.switch(number, choices)), x, None)

        x, outputs = jax.lax.scan(body, x, jnp.arange(len(layers), dtype=jnp.int32))
        return x, tuple(jax.tree.map(itemgetter(i), outputs) for i in range(len(layers)))

    def new_stores(self, store: Store) -> tuple[Store, ...]:
        """A copy of the empty `store` a layer."""
        return tuple(Store(*(x.copy() for x in store)) for _ in self.blocks)

    def copy_pages(
        self, stores: tuple[Store, ...], source: Int[Array, " rows"], target: Int[Array, " rows"]
    ) -> tuple[Store, ...]:
        """Some pages of every layer copied to others."""
        return tuple(copy_pages(store, source, target) for store in stores)

    def extend(
        self, step: StoreStep, x: Float[Array, "tokens width"], inputs: Any, stores: Any
    ) -> tuple[Array, Any]:
        """`step` through all layers, each with its item of `inputs` and of `stores`."""
        after, once, first = [], _once(step), jnp.int32(0)
        for i, (block, store) in enumerate(zip(self.blocks, stores, strict=True)):
            given = None if inputs is None else inputs[i]
            x, store = once(nnx.split(block), x, given, store, first)
            after.append(store)
        return x, tuple(after)


def _same(weights: Any) -> Any:
    return weights


def _once(step: Callable[..., Any]) -> Callable[..., Any]:
    """`step` as a function of a layer's graph and weights that is traced at its first call."""
    return jax.jit(lambda layer, *given: step(nnx.merge(*layer), *given))


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

    def run_in_loop(self, step: Step, x: Float[Array, "tokens width"]) -> tuple[Array, Any]:
        """`run` without inputs, which is a loop already."""
        return self.run(step, x, None)

    def new_stores(self, store: Store) -> Store:
        """The empty `store` with a first axis of as many items as there are layers."""
        layers = self.blocks.attention_norm.weight[...].shape[0]
        return Store(*(jnp.zeros((layers, *x.shape), x.dtype) for x in store))

    def copy_pages(
        self, stores: Store, source: Int[Array, " rows"], target: Int[Array, " rows"]
    ) -> Store:
        """Some pages of every layer copied to others."""
        return Store(*(x.at[:, target].set(x[:, source]) for x in stores))

    def extend(
        self, step: StoreStep, x: Float[Array, "tokens width"], inputs: Any, stores: Any
    ) -> tuple[Array, Any]:
        """`step` through all layers, with the pages of all of them: cut, they would be copied."""
        graph, weights = nnx.split(self.blocks)
        layers, pages = stores.key.shape[:2]
        first = jnp.arange(layers, dtype=jnp.int32) * pages

        def body(carry: tuple[Array, Store], layer: tuple[Any, ...]) -> tuple[Any, None]:
            block = nnx.merge(graph, layer[0])
            return step(block, carry[0], layer[1], carry[1], layer[2]), None

        flat = Store(*(x.reshape(-1, *x.shape[2:]) for x in stores))
        (x, flat), _ = jax.lax.scan(body, (x, flat), (weights, inputs, first))
        return x, Store(*(x.reshape(layers, pages, *x.shape[1:]) for x in flat))
