"""The numbers that make one Llama-family model differ from another."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RopeScaling:
    """Llama 3's stretch of the slow rotations, for contexts longer than the trained one.

    Attributes:
        factor: how many times longer than `original_context` the context may get.
        low_frequency: rotations per original context below which all of `factor` applies.
        high_frequency: rotations per original context above which nothing changes.
        original_context: the context length that the model was first trained for, in tokens.
    """

    factor: float
    low_frequency: float
    high_frequency: float
    original_context: int


@dataclass(frozen=True)
class LlamaConfig:
    """Shape of a decoder: grouped-query attention with rotary positions, SwiGLU, RMS norms.

    Attributes:
        layers: number of blocks.
        width: size of the residual stream.
        heads: query heads.
        kv_heads: key-value heads; `heads` is a multiple of it.
        head_dim: size of one head.
        ffn_width: inner size of the feed-forward layer.
        vocabulary: number of token ids.
        context_length: most positions the model was trained for, in tokens.
        rope_theta: base of the rotary frequencies.
        rope_scaling: None for plain rotary frequencies.
        norm_epsilon: added to the mean square in RMS norms.
        tied_embeddings: the output embedding is the input embedding.
        attention_bias: query, key and value projections have a bias, as in Qwen 2.
        scan_layers: stack the layers and loop over them. Compiles faster; faster on TPU and GPU,
            about half as fast on a CPU.
    """

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn_width: int
    vocabulary: int
    context_length: int
    rope_theta: float = 10_000.0
    rope_scaling: RopeScaling | None = None
    norm_epsilon: float = 1e-5
    tied_embeddings: bool = True
    attention_bias: bool = False
    scan_layers: bool = False

    @property
    def query_width(self) -> int:
        """Size of all query heads together."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Size of all key heads together, which is also that of all value heads."""
        return self.kv_heads * self.head_dim

    @property
    def group(self) -> int:
        """Query heads that share one key-value head."""
        return self.heads // self.kv_heads

    @property
    def flops_per_token(self) -> int:
        """Twice the multiply-adds of the blocks' linear layers, for one token."""
        attention = self.width * (2 * self.query_width + 2 * self.kv_width)
        return 2 * self.layers * (attention + 3 * self.width * self.ffn_width)
