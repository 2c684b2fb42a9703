"""The tensors that a Llama-family decoder has, with Hugging Face names and shapes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sqlax.errors import CorruptModelError
from sqlax.models.llama.config import LlamaConfig
from sqlax.models.weights.checkpoint import Shape

MISSING_SHOWN = 3


def checked_shapes(path: Path, config: LlamaConfig, found: Mapping[str, Shape]) -> dict[str, Shape]:
    """`tensor_shapes(config)`; CorruptModelError unless all of them are `found` with their shape.

    Args:
        path: the file or folder, for messages.
        config: what the model says it is.
        found: the shapes of the tensors that are there.
    """
    if config.layers > len(found):  # before a damaged number makes billions of names
        raise CorruptModelError(f"{path}: {config.layers} layers, but only {len(found)} tensors")
    expected = tensor_shapes(config)
    missing = [name for name in expected if name not in found]
    if missing:
        raise CorruptModelError(
            f"{path}: {len(missing)} of {len(expected)} tensors are missing, such as "
            f"{', '.join(missing[:MISSING_SHOWN])}; the file has {len(found)} tensors"
        )
    for name, shape in expected.items():
        if found[name] != shape:
            raise CorruptModelError(
                f"{path}: tensor {name} has shape {found[name]}, expected {shape}"
            )
    return expected


def tensor_shapes(config: LlamaConfig) -> dict[str, Shape]:
    """Every tensor of the decoder by name; matrices are `[out, in]`."""
    shapes: dict[str, Shape] = {
        "model.embed_tokens.weight": (config.vocabulary, config.width),
        "model.norm.weight": (config.width,),
    }
    if not config.tied_embeddings:
        shapes["lm_head.weight"] = (config.vocabulary, config.width)
    block = _block_shapes(config)
    for layer in range(config.layers):
        shapes |= {f"model.layers.{layer}.{name}": shape for name, shape in block.items()}
    return shapes


def _block_shapes(config: LlamaConfig) -> dict[str, Shape]:
    width, query, kv, ffn = config.width, config.query_width, config.kv_width, config.ffn_width
    shapes: dict[str, Shape] = {
        "input_layernorm.weight": (width,),
        "self_attn.q_proj.weight": (query, width),
        "self_attn.k_proj.weight": (kv, width),
        "self_attn.v_proj.weight": (kv, width),
        "self_attn.o_proj.weight": (width, query),
        "post_attention_layernorm.weight": (width,),
        "mlp.gate_proj.weight": (ffn, width),
        "mlp.up_proj.weight": (ffn, width),
        "mlp.down_proj.weight": (width, ffn),
    }
    if config.attention_bias:
        for name, size in (("q", query), ("k", kv), ("v", kv)):
            shapes[f"self_attn.{name}_proj.bias"] = (size,)
    return shapes
