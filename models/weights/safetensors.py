"""Llama-family models in Hugging Face directories: config.json and safetensors, never pickle."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from safetensors import SafetensorError, safe_open

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models.llama.config import LlamaConfig, RopeScaling
from sqlax.models.weights.checkpoint import (
    Checkpoint,
    LazyTensors,
    Shape,
    Tensor,
    identity_of,
)
from sqlax.models.weights.layout import checked_shapes

MODEL_TYPES = ("llama", "mistral", "qwen2")
INDEX = "model.safetensors.index.json"
PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt")
FLOATS = ("F32", "F16", "BF16", "F64")
RECOMPUTED = ("rotary_emb.inv_freq", "lm_head.weight")
"""Ends of tensor names that a directory may hold without their being read."""

Json: TypeAlias = dict[str, Any]


def read_directory(path: Path) -> Checkpoint:
    """Reads and checks config.json and the headers; tensors are read when asked for."""
    files = weight_files(path)
    config_path = path / "config.json"
    config = config_of(config_path, read_json(config_path))
    headers = {file: _headers(file) for file in files}
    places = {name: file for file, header in headers.items() for name in header}
    found = {name: shape for header in headers.values() for name, shape in header.items()}
    expected = checked_shapes(path, config, found)
    _refuse_unused(path, set(found) - set(expected))
    readers = {name: partial(_read_tensor, places[name], name) for name in expected}
    return Checkpoint(config, LazyTensors(readers), identity_of([config_path, *files]))


def weight_files(path: Path) -> list[Path]:
    """The safetensors files of a directory, in order, by its index where it has one."""
    index = path / INDEX
    if not index.exists():
        files = sorted(path.glob("*.safetensors"))
        return files or _refuse_pickle(path)
    names = sorted(set(read_json(index).get("weight_map", {}).values()))
    missing = [name for name in names if not (path / name).is_file()]
    if missing or not names:
        raise CorruptModelError(
            f"{path}: {INDEX} lists {len(names)} weight files, "
            f"of which {len(missing)} are missing: {', '.join(missing)}"
        )
    return [path / name for name in names]


def _refuse_pickle(path: Path) -> list[Path]:
    pickles = [file.name for pattern in PICKLES for file in path.glob(pattern)]
    if pickles:
        raise ModelError(
            f"{path} holds only {', '.join(sorted(pickles))}: such pickle files can run any code "
            "when opened, so sqlax reads *.safetensors alone; convert the weights first"
        )
    raise ModelError(f"{path} holds no *.safetensors file")


def read_json(path: Path) -> Json:
    """The object in a JSON file."""
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise ModelError(f"{path} is missing") from None
    except ValueError as error:
        raise CorruptModelError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise CorruptModelError(f"{path} holds a {type(value).__name__}, expected an object")
    return value


def config_of(path: Path, options: Json) -> LlamaConfig:
    """The decoder's config from the contents of a config.json at `path`."""
    _refuse_variants(path, options)
    number = partial(_number, path, options)
    heads, width = int(number("num_attention_heads")), int(number("hidden_size"))
    rope = options.get("rope_parameters") or options.get("rope_scaling") or {}
    theta = options.get("rope_theta") or rope.get("rope_theta", 10_000.0)
    return LlamaConfig(
        layers=int(number("num_hidden_layers")),
        width=width,
        heads=heads,
        kv_heads=int(options.get("num_key_value_heads") or heads),
        head_dim=int(options.get("head_dim") or width // heads),
        ffn_width=int(number("intermediate_size")),
        vocabulary=int(number("vocab_size")),
        context_length=int(number("max_position_embeddings")),
        rope_theta=float(theta),
        rope_scaling=_rope_scaling(path, rope),
        norm_epsilon=float(options.get("rms_norm_eps", 1e-6)),
        tied_embeddings=bool(options.get("tie_word_embeddings", False)),
        attention_bias=options["model_type"] == "qwen2",
    )


def _number(path: Path, options: Json, name: str) -> float:
    value = options.get(name)
    if value is None:
        raise CorruptModelError(
            f"{path}: {name} is missing; there are {', '.join(sorted(options))}"
        )
    if not isinstance(value, int | float) or value <= 0:
        raise CorruptModelError(f"{path}: {name} is {value!r}, expected a positive number")
    return float(value)


def _refuse_variants(path: Path, options: Json) -> None:
    """Raises ModelError for options of the format that the decoder does not know."""
    kind = options.get("model_type")
    if kind not in MODEL_TYPES:
        raise ModelError(f"{path}: model_type is {kind!r}; sqlax can run {', '.join(MODEL_TYPES)}")
    activation = options.get("hidden_act", "silu")
    sliding = options.get("sliding_window") if options.get("use_sliding_window", True) else None
    unknown = {
        f"activation {activation!r}": activation != "silu",
        "sliding-window attention": sliding is not None,
        "attention biases on all projections": bool(options.get("attention_bias")),
        "feed-forward biases": bool(options.get("mlp_bias")),
        "quantised weights": "quantization_config" in options,
    }
    for what, present in unknown.items():
        if present:
            raise ModelError(f"{path} asks for {what}, which sqlax cannot run")


def _rope_scaling(path: Path, rope: Json) -> RopeScaling | None:
    kind = rope.get("rope_type") or rope.get("type") or "default"
    if kind == "default":
        return None
    if kind != "llama3":
        raise ModelError(f"{path}: rope scaling {kind!r}; sqlax knows 'default' and 'llama3'")
    number = partial(_number, path, rope)
    return RopeScaling(
        factor=number("factor"),
        low_frequency=number("low_freq_factor"),
        high_frequency=number("high_freq_factor"),
        original_context=int(number("original_max_position_embeddings")),
    )


def _refuse_unused(path: Path, names: set[str]) -> None:
    unused = [name for name in names if not name.endswith(RECOMPUTED)]
    if unused:
        raise ModelError(
            f"{path} has tensors that sqlax's decoder does not use, "
            f"such as {min(unused)}: its answers would be wrong"
        )


def _headers(file: Path) -> dict[str, Shape]:
    """The shape of every tensor of one file; all are floating-point."""
    try:
        with safe_open(file, framework="np") as opened:
            slices = {name: opened.get_slice(name) for name in opened.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise CorruptModelError(f"{file} is damaged or truncated: {error}") from error
    for name, part in slices.items():
        if part.get_dtype() not in FLOATS:
            raise ModelError(f"{file}: tensor {name} is {part.get_dtype()}, expected {FLOATS}")
    return {name: tuple(part.get_shape()) for name, part in slices.items()}


def _read_tensor(file: Path, name: str) -> Tensor:
    """One tensor of a safetensors file, as it is stored."""
    with safe_open(file, framework="np") as opened:
        tensor: Tensor = opened.get_tensor(name)
    return tensor
