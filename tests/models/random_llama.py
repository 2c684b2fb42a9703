"""Random Llamas, packed rows and a plain reference to compare the packed graph with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.language_model import LabelTrie, PackedRows
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.llama.load import build
from sqlax.models.llama.rotary import frequencies
from sqlax.models.profile import BARE

Tensors = dict[str, npt.NDArray[Any]]

TINY = LlamaConfig(
    layers=2,
    width=48,
    heads=6,
    kv_heads=2,
    head_dim=16,
    ffn_width=80,
    vocabulary=97,
    context_length=2048,
)


class NoTokenizer:
    """Stands where a tokenizer is required but never asked."""

    vocabulary_size = TINY.vocabulary
    end_of_text = 0

    def encode(self, text: str) -> list[int]:
        """Never called."""
        raise NotImplementedError

    def encode_batch(
        self, texts: Sequence[str]
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Never called."""
        raise NotImplementedError

    def control(self, name: str) -> int:
        """Never called."""
        raise NotImplementedError

    def decode(self, tokens: Sequence[int]) -> str:
        """Never called."""
        raise NotImplementedError

    def token_bytes(self) -> list[bytes | None]:
        """Never called."""
        raise NotImplementedError


def random_tensors(config: LlamaConfig, seed: int = 0) -> Tensors:
    rng = np.random.default_rng(seed)

    def normal(*shape: int, scale: float = 1.0) -> npt.NDArray[np.float32]:
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    width, ffn = config.width, config.ffn_width
    tensors = {
        "model.embed_tokens.weight": normal(config.vocabulary, width),
        "model.norm.weight": 1 + normal(width, scale=0.1),
    }
    if not config.tied_embeddings:
        tensors["lm_head.weight"] = normal(config.vocabulary, width)
    for layer in range(config.layers):
        matrices = {
            "self_attn.q_proj": (config.query_width, width),
            "self_attn.k_proj": (config.kv_width, width),
            "self_attn.v_proj": (config.kv_width, width),
            "self_attn.o_proj": (width, config.query_width),
            "mlp.gate_proj": (ffn, width),
            "mlp.up_proj": (ffn, width),
            "mlp.down_proj": (width, ffn),
        }
        prefix = f"model.layers.{layer}."
        for name, (out, inputs) in matrices.items():
            tensors[f"{prefix}{name}.weight"] = normal(out, inputs, scale=inputs**-0.5)
            if config.attention_bias and name[10:] in {"q_proj", "k_proj", "v_proj"}:
                tensors[f"{prefix}{name}.bias"] = normal(out, scale=0.3)
        for name in ("input_layernorm", "post_attention_layernorm"):
            tensors[f"{prefix}{name}.weight"] = 1 + normal(width, scale=0.1)
    return tensors


def random_model(
    config: LlamaConfig = TINY, dtype: str = "float32", seed: int = 0
) -> CausalLanguageModel:
    return model_of(config, random_tensors(config, seed), dtype)


def model_of(config: LlamaConfig, tensors: Tensors, dtype: str = "float32") -> CausalLanguageModel:
    decoder = build(config, tensors, jnp.dtype(dtype))
    return CausalLanguageModel.of(decoder, NoTokenizer(), BARE, "random", "random")


def pack(
    prompts: Sequence[Sequence[int]],
    trie: LabelTrie,
    tokens: int,
    row_capacity: int,
    slots: Sequence[int | None] | None = None,
) -> PackedRows:
    """`prompts` packed in the order of `slots`, where None is an empty slot."""
    order = list(range(len(prompts))) if slots is None else list(slots)
    flat = np.zeros(tokens, np.int32)
    row = np.full(tokens, len(order), np.int32)
    start, length = np.zeros(len(order), np.int32), np.zeros(len(order), np.int32)
    at = 0
    for slot, prompt in enumerate(order):
        start[slot] = at
        if prompt is None:
            continue
        whole = [*prompts[prompt], *np.asarray(trie.node_token)]
        flat[at : at + len(whole)], row[at : at + len(whole)] = whole, slot
        length[slot] = len(prompts[prompt])
        at += len(whole)
    assert at <= tokens
    return PackedRows(
        jnp.asarray(flat), jnp.asarray(row), jnp.asarray(start), jnp.asarray(length), row_capacity
    )


def reference_logits(
    config: LlamaConfig, tensors: Tensors, tokens: Sequence[int]
) -> npt.NDArray[np.float64]:
    """Logits after every token of one text, in float64: the model as in the paper."""
    x = tensors["model.embed_tokens.weight"].astype(np.float64)[list(tokens)]
    turn = np.arange(len(tokens))[:, None] * frequencies(config).astype(np.float64)
    for layer in range(config.layers):
        w = {k.split(".", 3)[3]: v for k, v in tensors.items() if f"layers.{layer}." in k}
        x = x + _attention(config, w, _norm(config, x, w["input_layernorm.weight"]), turn)
        h = _norm(config, x, w["post_attention_layernorm.weight"])
        gate, up = h @ w["mlp.gate_proj.weight"].T, h @ w["mlp.up_proj.weight"].T
        x = x + (gate / (1 + np.exp(-gate)) * up) @ w["mlp.down_proj.weight"].T
    head = "model.embed_tokens" if config.tied_embeddings else "lm_head"
    logits = _norm(config, x, tensors["model.norm.weight"]) @ tensors[f"{head}.weight"].T
    return np.asarray(logits)


def _norm(config: LlamaConfig, x: Any, weight: Any) -> Any:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + config.norm_epsilon) * weight


def _attention(config: LlamaConfig, w: Tensors, h: Any, turn: Any) -> Any:
    def heads(name: str) -> Any:
        y = h @ w[f"self_attn.{name}_proj.weight"].T
        y = y + w.get(f"self_attn.{name}_proj.bias", 0.0)
        return y.reshape(len(h), -1, config.head_dim).transpose(1, 0, 2)

    def rotated(x: Any) -> Any:
        half = config.head_dim // 2
        swapped = np.concatenate([-x[..., half:], x[..., :half]], -1)
        return x * np.tile(np.cos(turn), 2) + swapped * np.tile(np.sin(turn), 2)

    q, k, v = rotated(heads("q")), rotated(heads("k")), heads("v")
    k, v = (np.repeat(x, config.heads // config.kv_heads, 0) for x in (k, v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(config.head_dim)
    scores = np.where(np.tri(len(h), dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    mixed = (weights / weights.sum(-1, keepdims=True)) @ v
    return mixed.transpose(1, 0, 2).reshape(len(h), -1) @ w["self_attn.o_proj.weight"].T


def reference_scores(
    config: LlamaConfig,
    tensors: Tensors,
    prompt: Sequence[int],
    labels: Sequence[Sequence[int]],
) -> npt.NDArray[np.float64]:
    """Each label's log-probability after `prompt`, one whole forward pass a label."""
    return np.array([_label_score(config, tensors, prompt, label) for label in labels])


def _label_score(
    config: LlamaConfig, tensors: Tensors, prompt: Sequence[int], label: Sequence[int]
) -> float:
    logits = reference_logits(config, tensors, [*prompt, *label])[len(prompt) - 1 : -1]
    peak = logits.max(-1, keepdims=True)
    logs = logits - peak - np.log(np.exp(logits - peak).sum(-1, keepdims=True))
    return float(logs[np.arange(len(label)), list(label)].sum())
