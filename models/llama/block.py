"""One layer of a Llama decoder, over packed rows."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Bool, Float, Int

from sqlax.kvcache.prefix import Cache, Shared
from sqlax.models.linear import linear
from sqlax.models.llama.attention import KeyValue, attend_packed, attend_reads
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.llama.paged import PagedContext, Store, attend_last, attend_paged, keep
from sqlax.models.llama.rotary import Angles, rotate
from sqlax.models.llama.rows import Layout


class Context(NamedTuple):
    """What every layer needs besides its weights and the residual stream.

    Attributes:
        layout: where the tokens stand and what they see.
        turn: rotary angles of the flat tokens.
        present: which positions of the prefix exist.
    """

    layout: Layout
    turn: Angles
    present: Bool[Array, " positions"]

    def shared(self, cache: Cache | None) -> Shared | None:
        """`cache` as attention wants it; None where there is no prefix."""
        return None if cache is None else Shared(cache, self.present)


class Norm(nnx.Module):
    """Root-mean-square norm, in float32."""

    def __init__(self, weight: Array, epsilon: float) -> None:
        self.weight = nnx.Param(weight)
        self.epsilon = epsilon

    @jax.named_scope("norm")
    def __call__(self, x: Float[Array, "tokens width"]) -> Float[Array, "tokens width"]:
        """`x` scaled to unit mean square, times the weight."""
        square = jnp.mean(x * x, axis=-1, keepdims=True)
        return x * jax.lax.rsqrt(square + jnp.float32(self.epsilon)) * self.weight[...]


class Attention(nnx.Module):
    """Grouped-query attention; query, key and value projections are one matrix."""

    def __init__(self, config: LlamaConfig, qkv: Array, out: Array, bias: Array | None) -> None:
        self.qkv = nnx.Param(qkv)
        self.out = nnx.Param(out)
        self.bias = None if bias is None else nnx.Param(bias)
        self.config = config

    def __call__(
        self, x: Float[Array, "tokens width"], context: Context, prefix: Shared | None
    ) -> tuple[Float[Array, "tokens width"], KeyValue]:
        """Attention of all flat tokens, and their keys and values."""
        query, own = self._heads(x, context.turn)
        mixed = attend_packed(query, own, context.layout, prefix)
        return linear(mixed, self.out[...]), own

    def extend(
        self,
        x: Float[Array, "tokens width"],
        context: PagedContext,
        prefix: Shared | None,
        store: Store,
    ) -> tuple[Float[Array, "tokens width"], Store]:
        """Attention of all flat tokens to their rows' pages, which keep them now."""
        query, own = self._heads(x, context.turn)
        store = keep(store, own, context.layout)
        mixed = attend_paged(query, store, context.layout, prefix)
        return linear(mixed, self.out[...]), store

    def keys(self, x: Float[Array, "tokens width"], turn: Angles) -> KeyValue:
        """Keys and values of all flat tokens."""
        config = self.config
        kv = self._project(x, slice(config.query_width, None))
        kv = kv.reshape(x.shape[0], -1, config.head_dim)
        key = self._cast(rotate(kv[:, : config.kv_heads], turn))
        return KeyValue(key, self._cast(kv[:, config.kv_heads :]))

    def read(
        self, x: Float[Array, "reads width"], own: KeyValue, context: Context, prefix: Shared | None
    ) -> Float[Array, "reads width"]:
        """Attention of the scored tokens `x`, whose rows' keys and values are `own`."""
        query = self._query(x, context.turn, context.layout.scored.reshape(-1))
        mixed = attend_reads(query, own, context.layout, prefix)
        return linear(mixed, self.out[...])

    def read_last(
        self,
        x: Float[Array, "rows width"],
        context: PagedContext,
        prefix: Shared | None,
        store: Store,
    ) -> Float[Array, "rows width"]:
        """Attention of each row's last token `x` to the row's pages, which keep it already."""
        query = self._query(x, context.turn, context.layout.last)
        mixed = attend_last(query, store, context.layout, prefix)
        return linear(mixed, self.out[...])

    def _heads(
        self, x: Float[Array, "tokens width"], turn: Angles
    ) -> tuple[Float[Array, "tokens heads dim"], KeyValue]:
        config = self.config
        qkv = self._project(x, slice(None)).reshape(x.shape[0], -1, config.head_dim)
        split = config.heads + config.kv_heads
        turned = self._cast(rotate(qkv[:, :split], turn))
        own = KeyValue(turned[:, config.heads :], self._cast(qkv[:, split:]))
        return turned[:, : config.heads], own

    def _query(
        self, x: Float[Array, "reads width"], turn: Angles, reads: Int[Array, " reads"]
    ) -> Float[Array, "reads heads dim"]:
        query = self._project(x, slice(None, self.config.query_width))
        query = query.reshape(x.shape[0], -1, self.config.head_dim)
        return self._cast(rotate(query, (turn[0][reads], turn[1][reads])))

    def _project(self, x: Float[Array, "tokens width"], part: slice) -> Float[Array, "tokens some"]:
        y = linear(x, self.qkv[...][:, part])
        return y if self.bias is None else y + self.bias[...][part]

    def _cast(self, heads: Float[Array, "tokens some dim"]) -> Float[Array, "tokens some dim"]:
        return heads.astype(self.qkv[...].dtype)


class FeedForward(nnx.Module):
    """SwiGLU; gate and up projections are one matrix."""

    def __init__(self, gate_up: Array, down: Array) -> None:
        self.gate_up = nnx.Param(gate_up)
        self.down = nnx.Param(down)

    def __call__(self, x: Float[Array, "tokens width"]) -> Float[Array, "tokens width"]:
        """down(silu(gate(x)) * up(x))."""
        gate, up = jnp.split(linear(x, self.gate_up[...]), 2, axis=-1)
        return linear(jax.nn.silu(gate) * up, self.down[...])


class Block(nnx.Module):
    """One layer: attention, then feed-forward, each behind a norm and added to its input."""

    def __init__(
        self, attention_norm: Norm, attention: Attention, ffn_norm: Norm, ffn: FeedForward
    ) -> None:
        self.attention_norm = attention_norm
        self.attention = attention
        self.ffn_norm = ffn_norm
        self.ffn = ffn

    def __call__(
        self, x: Float[Array, "tokens width"], context: Context, cache: Cache | None
    ) -> tuple[Float[Array, "tokens width"], KeyValue]:
        """The next residual stream, and this layer's keys and values."""
        shared = context.shared(cache)
        mixed, own = self.attention(self.attention_norm(x), context, shared)
        x = x + mixed
        return x + self.ffn(self.ffn_norm(x)), own

    def keys(self, x: Float[Array, "tokens width"], turn: Angles) -> KeyValue:
        """This layer's keys and values only."""
        return self.attention.keys(self.attention_norm(x), turn)

    def read(
        self, x: Float[Array, "tokens width"], context: Context, cache: Cache | None
    ) -> Float[Array, "reads width"]:
        """The next residual stream at the scored tokens only, row by row."""
        own = self.keys(x, context.turn)
        x = x[context.layout.scored.reshape(-1)]
        x = x + self.attention.read(self.attention_norm(x), own, context, context.shared(cache))
        return x + self.ffn(self.ffn_norm(x))

    def extend(
        self,
        x: Float[Array, "tokens width"],
        context: PagedContext,
        cache: Cache | None,
        store: Store,
    ) -> tuple[Float[Array, "tokens width"], Store]:
        """The next residual stream, and the layer's pages with all flat tokens in them."""
        shared = context.shared(cache)
        mixed, store = self.attention.extend(self.attention_norm(x), context, shared, store)
        x = x + mixed
        return x + self.ffn(self.ffn_norm(x)), store

    def extend_last(
        self,
        x: Float[Array, "tokens width"],
        context: PagedContext,
        cache: Cache | None,
        store: Store,
    ) -> tuple[Float[Array, "rows width"], Store]:
        """The same, but the residual stream at each row's last new token only."""
        if context.layout.blocks is None:
            return self.extend(x, context, cache, store)
        store = keep(store, self.keys(x, context.turn), context.layout)
        x, shared = x[context.layout.last], context.shared(cache)
        x = x + self.attention.read_last(self.attention_norm(x), context, shared, store)
        return x + self.ffn(self.ffn_norm(x)), store
