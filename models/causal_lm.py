"""A decoder, its tokenizer and its profile as the one thing that the runtime asks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jaxtyping import Array, Float, Int

from sqlax.models.label_scores import label_scores
from sqlax.models.language_model import LabelTrie, PackedRows, PagedRows, Params, Prefix
from sqlax.models.llama.decoder import Llama, LlamaPages
from sqlax.models.profile import PromptProfile
from sqlax.models.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class CausalLanguageModel:
    """A `LanguageModel` made of a decoder that reads from left to right.

    Attributes:
        name: the name under which a query asks for it.
        identity: changes whenever an answer could: weights, dtype and attention path.
        tokenizer: turns text into tokens.
        profile: how the model wants to be asked.
        graph: the decoder without its arrays; static, so it may be captured by a program.
        params: the decoder's arrays; passed to a program, never captured.
        context_length: most tokens of prefix, prompt and label together.
        flops_per_token: multiply-adds of the linear layers counted twice, per token.
        kv_bytes_per_token: bytes of key-value state one token leaves behind.
    """

    name: str
    identity: str
    tokenizer: Tokenizer
    profile: PromptProfile
    graph: nnx.GraphDef[Llama]
    params: Params
    context_length: int
    flops_per_token: int
    kv_bytes_per_token: int

    @classmethod
    def of(
        cls,
        decoder: Llama,
        tokenizer: Tokenizer,
        profile: PromptProfile,
        name: str,
        identity: str,
    ) -> CausalLanguageModel:
        """Wrap `decoder`, whose arrays become `params`."""
        graph, params = nnx.split(decoder)
        config = decoder.config
        return cls(
            name=name,
            identity=identity,
            tokenizer=tokenizer,
            profile=profile,
            graph=graph,
            params=params,
            context_length=config.context_length,
            flops_per_token=config.flops_per_token,
            kv_bytes_per_token=2 * config.layers * config.kv_width * decoder.dtype.itemsize,
        )

    def prefill(
        self, params: Params, tokens: Int[Array, " capacity"], length: Int[Array, ""]
    ) -> Prefix:
        """The key-value state of the first `length` tokens; `capacity` may be 0."""
        prefix: Prefix = self._prefill(params, tokens, length)
        return prefix

    def score(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PackedRows,
        labels: LabelTrie,
    ) -> Float[Array, "rows labels"]:
        """The log-probability of each label; see `LanguageModel.score`."""
        rows, labels = jax.tree.map(jnp.asarray, (rows, labels))
        decoder = self._decoder(params)
        hidden = decoder.read(prefix, prefix_length, rows, labels)
        number = jnp.arange(1, 1 + rows.start.shape[0], dtype=jnp.int32)
        used = jnp.max(jnp.where(rows.prompt_length > 0, number, 0))
        return label_scores(hidden, decoder.output_embedding, labels, used)

    def new_pages(self, count: int) -> LlamaPages:
        """Empty pages of every layer; see `GeneratingModel.new_pages`."""
        return self._decoder(self.params).new_pages(count)

    def extend(
        self,
        params: Params,
        prefix: Prefix,
        prefix_length: Int[Array, ""],
        rows: PagedRows,
        pages: LlamaPages,
    ) -> tuple[Float[Array, "rows width"], LlamaPages]:
        """Hidden states of each row's last new token; see `GeneratingModel.extend`."""
        rows = jax.tree.map(jnp.asarray, rows)
        return self._decoder(params).extend(prefix, prefix_length, rows, pages)

    def copy_pages(
        self, pages: LlamaPages, source: Int[Array, " rows"], target: Int[Array, " rows"]
    ) -> LlamaPages:
        """Some pages copied to others; see `GeneratingModel.copy_pages`."""
        return self._decoder(self.params).copy_pages(pages, source, target)

    def logits(
        self, params: Params, hidden: Float[Array, "rows width"]
    ) -> Float[Array, "rows vocabulary"]:
        """What every token of the vocabulary scores as the next one, float32."""
        return self._decoder(params).logits(hidden)

    @cached_property
    def _prefill(self) -> Any:
        """Traced once for a capacity, however often its shapes are asked for."""
        return jax.jit(lambda params, *given: self._decoder(params).prefill(*given))

    def _decoder(self, params: Any) -> Llama:
        return nnx.merge(self.graph, params)
