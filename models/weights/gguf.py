"""Llama-family models in GGUF files, brought into Hugging Face names and layouts."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.llama.config import LlamaConfig, RopeScaling
from sqlax.models.weights.checkpoint import (
    Checkpoint,
    LazyTensors,
    Tensor,
    identity_of,
)
from sqlax.models.weights.gguf_file import GgufFile, open_gguf
from sqlax.models.weights.layout import checked_shapes

INTERLEAVED_ROPE = {"llama": True, "qwen2": False}
"""The architectures that can be read, and whether their rotary pairs lie side by side."""

NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
BLOCK_TENSOR = re.compile(r"blk\.(\d+)\.(\w+)\.(\w+)")
ROPE_FACTORS = "rope_freqs.weight"
LLAMA3_CONTEXT = 8192
"""Tokens that Llama 3 was trained on before its rotations were stretched."""


def read_gguf(path: Path) -> Checkpoint:
    """Reads and checks the header of a GGUF file; its tensors are read when asked for."""
    return checkpoint_of(open_gguf(path))


def checkpoint_of(file: GgufFile) -> Checkpoint:
    """The checkpoint in a GGUF file that is already open."""
    config = config_of(file)
    names = {_hugging_face_name(name): name for name in file.tensors if name != ROPE_FACTORS}
    found = {name: file.tensors[source].shape for name, source in names.items()}
    expected = checked_shapes(file.path, config, found)
    _refuse_unused(file, set(found) - set(expected))
    readers = {name: _reader(file, config, names[name]) for name in expected}
    return Checkpoint(config, LazyTensors(readers), identity_of([file.path]))


def config_of(file: GgufFile) -> LlamaConfig:
    """The decoder's config from a GGUF file's metadata."""
    architecture = _architecture(file)
    number = partial(_number, file, architecture)
    heads, width = int(number("attention.head_count")), int(number("embedding_length"))
    head_dim = int(number("attention.key_length", width // heads))
    _refuse_variants(file, architecture, head_dim)
    theta = number("rope.freq_base", 10_000.0)
    return LlamaConfig(
        layers=int(number("block_count")),
        width=width,
        heads=heads,
        kv_heads=int(number("attention.head_count_kv", heads)),
        head_dim=head_dim,
        ffn_width=int(number("feed_forward_length")),
        vocabulary=_vocabulary(file),
        context_length=int(number("context_length")),
        rope_theta=theta,
        rope_scaling=_rope_scaling(file, theta, head_dim),
        norm_epsilon=number("attention.layer_norm_rms_epsilon"),
        tied_embeddings="output.weight" not in file.tensors,
        attention_bias="blk.0.attn_q.bias" in file.tensors,
    )


def _architecture(file: GgufFile) -> str:
    architecture = str(_key(file, "general", "architecture"))
    if architecture not in INTERLEAVED_ROPE:
        raise ModelError(
            f"{file.path} holds a model of architecture {architecture!r}; "
            f"sqlax can run {', '.join(INTERLEAVED_ROPE)}"
        )
    return architecture


def _key(file: GgufFile, prefix: str, name: str, default: Any = None) -> Any:
    value = file.metadata.get(f"{prefix}.{name}", default)
    if value is None:
        raise CorruptModelError(
            f"{file.path}: metadata key {prefix}.{name} is missing; "
            f"the file has {len(file.metadata)} keys: {', '.join(sorted(file.metadata))}"
        )
    return value


def _number(file: GgufFile, prefix: str, name: str, default: float | None = None) -> float:
    """A positive number; what is not, such as a list of one for each layer, cannot be run."""
    value = _key(file, prefix, name, default)
    if not isinstance(value, int | float) or value <= 0:
        raise ModelError(
            f"{file.path}: metadata key {prefix}.{name} is {value!r}, expected a positive number"
        )
    return float(value)


def _refuse_variants(file: GgufFile, architecture: str, head_dim: int) -> None:
    """Raises ModelError for options of the format that the decoder does not know."""
    key = partial(_key, file, architecture)
    scaling = key("rope.scaling.type", "none")
    rotary = key("rope.dimension_count", head_dim)
    unknown = {
        f"{key('expert_count', 0)} experts": key("expert_count", 0) != 0,
        f"rope scaling of type {scaling!r}": scaling != "none",
        f"rotary positions on {rotary} of {head_dim} dimensions": rotary != head_dim,
    }
    for what, present in unknown.items():
        if present:
            raise ModelError(f"{file.path} has {what}, which sqlax cannot run")


def _refuse_unused(file: GgufFile, names: set[str]) -> None:
    if names:
        raise ModelError(
            f"{file.path} has tensors that sqlax's decoder does not use, "
            f"such as {min(names)}: its answers would be wrong"
        )


def _vocabulary(file: GgufFile) -> int:
    info = file.tensors.get("token_embd.weight")
    if info is None:
        raise CorruptModelError(f"{file.path}: tensor token_embd.weight is missing")
    return info.shape[0]


def _rope_scaling(file: GgufFile, theta: float, head_dim: int) -> RopeScaling | None:
    """Llama 3's scaling, which GGUF keeps as one divisor for each rotary frequency."""
    if ROPE_FACTORS not in file.tensors:
        return None
    found = file.read(ROPE_FACTORS)
    scaling = RopeScaling(float(found.max(initial=1.0)), 1.0, 4.0, LLAMA3_CONTEXT)
    expected = llama3_factors(scaling, theta, head_dim)
    if found.shape != expected.shape or not np.allclose(found, expected, rtol=1e-3):
        raise ModelError(f"{file.path}: {ROPE_FACTORS} is not Llama 3's rope scaling")
    return scaling


def llama3_factors(scaling: RopeScaling, theta: float, head_dim: int) -> Tensor:
    """What each of the `head_dim / 2` rotary frequencies is divided by."""
    turns = theta ** -(np.arange(0, head_dim, 2) / head_dim) * scaling.original_context
    turns /= 2 * np.pi
    low, high = scaling.low_frequency, scaling.high_frequency
    smooth = np.clip((turns - low) / (high - low), 0.0, 1.0)
    return 1.0 / (smooth + (1.0 - smooth) / scaling.factor)


def _hugging_face_name(name: str) -> str:
    """`blk.3.attn_q.weight` becomes `model.layers.3.self_attn.q_proj.weight`."""
    if block := BLOCK_TENSOR.fullmatch(name):
        layer, part, kind = block.groups()
        return f"model.layers.{layer}.{NAMES.get(part, part)}.{kind}"
    stem, _, kind = name.rpartition(".")
    return f"{NAMES.get(stem, stem)}.{kind}"


def _reader(file: GgufFile, config: LlamaConfig, name: str) -> Callable[[], Tensor]:
    """What reads one tensor and puts its rows into rotate-half order."""
    interleaved = INTERLEAVED_ROPE[file.metadata["general.architecture"]]
    heads = {"attn_q": config.heads, "attn_k": config.kv_heads}.get(name.split(".")[-2])
    if heads is None or not interleaved:
        return lambda: file.read(name)
    return lambda: rotate_half_rows(file.read(name), heads)


def rotate_half_rows(tensor: Tensor, heads: int) -> Tensor:
    """Rows of each head from llama.cpp's pairs to halves: `x0 y0 x1 y1 -> x0 x1 y0 y1`."""
    pairs = tensor.reshape(heads, tensor.shape[0] // heads // 2, 2, *tensor.shape[1:])
    return pairs.swapaxes(1, 2).reshape(tensor.shape)
