"""The Llama decoder: key-value state of a prefix, hidden states where labels are read."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from sqlax.kvcache.prefix import Cache
from sqlax.models.language_model import LabelTrie, PackedRows, PagedRows
from sqlax.models.linear import contract
from sqlax.models.llama.apart import apart
from sqlax.models.llama.attention import BLOCK, to_cache
from sqlax.models.llama.block import Block, Context, Norm
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.llama.paged import PagedContext, Store, copy_pages, fewest_rows, new_store
from sqlax.models.llama.paged_layout import at_least, lay_out_paged, with_empty_slots
from sqlax.models.llama.rotary import angles
from sqlax.models.llama.rows import WHOLE, lay_out
from sqlax.models.llama.stack import Scanned, Unrolled


class LlamaPrefix(NamedTuple):
    """The key-value state of a prefix.

    Attributes:
        body: `Cache` of every layer but the last, in the form the layers are in.
        last: of the last layer.
    """

    body: Any
    last: Cache


class LlamaPages(NamedTuple):
    """The keys and values in pages.

    Attributes:
        body: `Store` of every layer but the last, in the form the layers are in.
        last: of the last layer.
    """

    body: Any
    last: Store


class Llama(nnx.Module):
    """Token embedding, layers, final norm; the output embedding is often the input's."""

    def __init__(
        self,
        config: LlamaConfig,
        embedding: Array,
        layers: tuple[Unrolled | Scanned, Block],
        norm: Norm,
        head: Array | None,
    ) -> None:
        self.config = config
        self.embedding = nnx.Param(embedding)
        self.body, self.last = layers
        self.norm = norm
        self.head = None if head is None else nnx.Param(head)

    @property
    def dtype(self) -> jnp.dtype:
        """Of the matrices, and of what is multiplied with them."""
        return self.embedding[...].dtype

    @property
    def output_embedding(self) -> Float[Array, "vocabulary width"]:
        """What hidden states are multiplied with to get logits."""
        return self.embedding[...] if self.head is None else self.head[...]

    @property
    def _fewest(self) -> int:
        return fewest_rows(self.config.width, self.config.heads)

    def prefill(
        self, tokens: Int[Array, " capacity"], length: Int[Array, ""]
    ) -> LlamaPrefix | None:
        """Keys and values of every layer for the first `length` tokens; the rest is arbitrary."""
        if not tokens.shape[0]:
            return None
        tokens = _whole_blocks(tokens)
        context = self._context(_single_row(tokens, length), None, None, jnp.int32(0))

        def step(block: Block, x: Array, _: None) -> tuple[Array, Cache]:
            x, own = block(x, context, None)
            return x, to_cache(own)

        x, body = self.body.run_in_loop(step, self._embed(tokens))
        return LlamaPrefix(body, to_cache(self.last.keys(x, context.turn)))

    def read(
        self,
        prefix: LlamaPrefix | None,
        prefix_length: Int[Array, ""],
        rows: PackedRows,
        labels: LabelTrie,
    ) -> Float[Array, "rows reads width"]:
        """Hidden states of each row's last prompt token and of its trie nodes, float32."""
        context = self._context(rows, labels, prefix, prefix_length)
        body, last = (None, None) if prefix is None else prefix

        def step(block: Block, x: Array, cache: Cache | None) -> tuple[Array, None]:
            return block(x, context, cache)[0], None

        x, _ = self.body.run(step, self._embed(rows.tokens), body)
        hidden = self.norm(self.last.read(x, context, last))
        return hidden.reshape(*context.layout.scored.shape, -1)

    def new_pages(self, count: int) -> LlamaPages:
        """Empty pages of every layer."""
        config = self.config
        store = new_store(count, config.kv_heads, config.head_dim, self.dtype)
        return LlamaPages(self.body.new_stores(store), store)

    def extend(
        self,
        prefix: LlamaPrefix | None,
        prefix_length: Int[Array, ""],
        rows: PagedRows,
        pages: LlamaPages,
    ) -> tuple[Float[Array, "rows width"], LlamaPages]:
        """Hidden states of each row's last new token, float32, and the pages with all of them."""
        slots, rows = rows.length.shape[0], with_empty_slots(rows, self._fewest)
        context = self._paged_context(rows, prefix, prefix_length)
        body, last = (None, None) if prefix is None else prefix

        def step(
            block: Block, x: Array, cache: Cache | None, store: Store, first: Int[Array, ""]
        ) -> tuple[Array, Store]:
            return block.extend(x, context.in_layer(first), cache, store)

        x, stores = self.body.extend(step, self._embed(rows.tokens), body, pages.body)
        x, store = self.last.extend_last(x, context, last, pages.last)
        return self.norm(x)[:slots], LlamaPages(stores, store)

    def copy_pages(
        self, pages: LlamaPages, source: Int[Array, " rows"], target: Int[Array, " rows"]
    ) -> LlamaPages:
        """The pages with what each `source` holds in `target` too, in every layer."""
        body = self.body.copy_pages(pages.body, source, target)
        return LlamaPages(body, copy_pages(pages.last, source, target))

    @jax.named_scope("head")
    def logits(self, hidden: Float[Array, "rows width"]) -> Float[Array, "rows vocabulary"]:
        """What every token of the vocabulary scores as the next one, float32."""
        logits = contract(at_least(hidden, self._fewest), self.output_embedding, ((1,), (1,)))
        return logits[: hidden.shape[0]]

    @jax.named_scope("gather")
    def _embed(self, tokens: Int[Array, " tokens"]) -> Float[Array, "tokens width"]:
        """Inside a branch: XLA on a CPU gathers bfloat16 from a float32 copy of all of it.

        Where it can, it makes the copy outside of the loop, once a turn of the next outer one;
        out of a branch it moves nothing, and what is gathered alone is converted.
        """

        def look_up() -> Float[Array, "tokens width"]:
            return self.embedding[...].at[tokens].get(mode="clip").astype(jnp.float32)

        nothing = jnp.zeros((tokens.shape[0], self.config.width), jnp.float32)
        found: Array = jax.lax.cond(jnp.any(tokens >= 0), look_up, lambda: nothing)
        return found

    def _context(
        self,
        rows: PackedRows,
        labels: LabelTrie | None,
        prefix: LlamaPrefix | None,
        length: Int[Array, ""],
    ) -> Context:
        def make() -> Context:
            layout = lay_out(rows, labels, length)
            return Context(layout, angles(self.config, layout.position), _present(prefix, length))

        return apart(make, rows.tokens)

    def _paged_context(
        self, rows: PagedRows, prefix: LlamaPrefix | None, length: Int[Array, ""]
    ) -> PagedContext:
        def make() -> PagedContext:
            layout = lay_out_paged(rows, length, self._fewest)
            turn = angles(self.config, layout.position)
            return PagedContext(layout, turn, _present(prefix, length))

        return apart(make, rows.tokens)


def _present(prefix: LlamaPrefix | None, length: Int[Array, ""]) -> Bool[Array, " positions"]:
    capacity = 0 if prefix is None else prefix.last.key.shape[1]
    return jnp.arange(capacity, dtype=jnp.int32) < length


def _single_row(tokens: Int[Array, " capacity"], length: Int[Array, ""]) -> PackedRows:
    zero = jnp.zeros(1, jnp.int32)
    row = jnp.zeros(tokens.shape, jnp.int32)
    length = length.astype(jnp.int32).reshape(1)
    return PackedRows(tokens, row, zero, length, tokens.shape[0])


def _whole_blocks(tokens: Int[Array, " capacity"]) -> Int[Array, " padded"]:
    """Pad to what attention can cut into blocks."""
    step = 16 if tokens.shape[0] <= WHOLE else BLOCK
    return jnp.pad(tokens, (0, -tokens.shape[0] % step))
