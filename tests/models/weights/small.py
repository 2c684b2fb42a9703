"""A tiny Llama on disk, as a GGUF file and as a Hugging Face directory."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gguf
import ml_dtypes
import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from sqlax.models.llama.config import LlamaConfig
from sqlax.models.weights.layout import tensor_shapes
from tests.models.tokenizers.small import byte_level

NO_CHANGES: Mapping[str, Any] = {}
Tensors = dict[str, npt.NDArray[Any]]

CONFIG = LlamaConfig(
    layers=2,
    width=64,
    heads=4,
    kv_heads=2,
    head_dim=16,
    ffn_width=96,
    vocabulary=259,
    context_length=512,
    norm_epsilon=float(np.float32(1e-5)),
)
GGUF_NAMES = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def random_tensors(config: LlamaConfig = CONFIG) -> Tensors:
    """Normal float32 numbers under Hugging Face names."""
    random = np.random.default_rng(7)
    return {
        name: random.standard_normal(shape).astype(np.float32)
        for name, shape in tensor_shapes(config).items()
    }


def gguf_name(name: str) -> str:
    """The name llama.cpp gives to a Hugging Face tensor."""
    stem, kind = name.rsplit(".", 1)
    if not stem.startswith("model.layers."):
        return f"{GGUF_NAMES[stem]}.{kind}"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{GGUF_NAMES[part]}.{kind}"


def interleave(tensor: npt.NDArray[Any], heads: int) -> npt.NDArray[Any]:
    """What llama.cpp's converter does to query and key matrices (`LlamaModel.permute`)."""
    halves = tensor.reshape(heads, 2, tensor.shape[0] // heads // 2, *tensor.shape[1:])
    return halves.swapaxes(1, 2).reshape(tensor.shape)


def write_gguf(
    path: Path,
    tensors: Tensors,
    kind: gguf.GGMLQuantizationType = gguf.GGMLQuantizationType.F32,
    architecture: str = "llama",
    changes: Mapping[str, Any] = NO_CHANGES,
) -> Path:
    """Writes a GGUF file with matrices stored as `kind`; `changes` replace or (None) drop keys."""
    writer = gguf.GGUFWriter(path, architecture)
    for key, value in (
        _metadata(architecture) | byte_level(merges=("a b",)) | dict(changes)
    ).items():
        if value is not None:
            _add(writer, key, value)
    for name, tensor in tensors.items():
        heads = {"q_proj": CONFIG.heads, "k_proj": CONFIG.kv_heads}.get(name.split(".")[-2])
        rows = interleave(tensor, heads) if heads and architecture == "llama" else tensor
        raw = rows.ndim > 1 and kind is not gguf.GGMLQuantizationType.F32
        data = gguf.quants.quantize(rows, kind) if raw else rows
        writer.add_tensor(_stored_name(name), data, raw_dtype=kind if raw else None)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _stored_name(name: str) -> str:
    return gguf_name(name) if name.startswith(("model.", "lm_head")) else name


def _metadata(architecture: str) -> dict[str, Any]:
    sizes = {
        "block_count": CONFIG.layers,
        "context_length": CONFIG.context_length,
        "embedding_length": CONFIG.width,
        "feed_forward_length": CONFIG.ffn_width,
        "attention.head_count": CONFIG.heads,
        "attention.head_count_kv": CONFIG.kv_heads,
        "attention.layer_norm_rms_epsilon": CONFIG.norm_epsilon,
    }
    return {f"{architecture}.{key}": value for key, value in sizes.items()}


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    adders: dict[type, Callable[[str, Any], None]] = {
        bool: writer.add_bool,
        int: writer.add_uint32,
        float: writer.add_float32,
        str: writer.add_string,
        list: writer.add_array,
    }
    adders[type(value)](key, value)


HF_CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": CONFIG.layers,
    "hidden_size": CONFIG.width,
    "num_attention_heads": CONFIG.heads,
    "num_key_value_heads": CONFIG.kv_heads,
    "intermediate_size": CONFIG.ffn_width,
    "vocab_size": CONFIG.vocabulary,
    "max_position_embeddings": CONFIG.context_length,
    "rms_norm_eps": CONFIG.norm_epsilon,
    "tie_word_embeddings": True,
}


def write_directory(path: Path, tensors: Tensors, shards: int = 1, **changes: Any) -> Path:
    """Writes config.json and bfloat16 safetensors, with an index if there are several."""
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(json.dumps(HF_CONFIG | changes))
    names = (
        ["model.safetensors"] if shards == 1 else [f"part-{i}.safetensors" for i in range(shards)]
    )
    places = {name: names[i % shards] for i, name in enumerate(tensors)}
    for file in names:
        mine = {n: t.astype(ml_dtypes.bfloat16) for n, t in tensors.items() if places[n] == file}
        save_file(mine, path / file)
    if shards > 1:
        index = json.dumps({"weight_map": places})
        (path / "model.safetensors.index.json").write_text(index)
    return path
