"""A language model that is ready to run, from its name or path."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from sqlax.errors import CorruptModelError, ModelError
from sqlax.models import tokenizers
from sqlax.models.causal_lm import CausalLanguageModel
from sqlax.models.llama.fuse import FORMAT, fused
from sqlax.models.llama.load import assemble
from sqlax.models.profiles import profile_for
from sqlax.models.registry.cache import weights_folder
from sqlax.models.registry.lookup import resolve
from sqlax.models.tokenizer import Tokenizer
from sqlax.models.weights.checkpoint import Checkpoint
from sqlax.models.weights.gguf import checkpoint_of
from sqlax.models.weights.gguf_file import open_gguf
from sqlax.models.weights.kept import is_worth_keeping, kept
from sqlax.models.weights.safetensors import read_directory

DTYPES = ("bfloat16", "float32")


def load(name_or_path: str | os.PathLike[str], dtype: str = "bfloat16") -> CausalLanguageModel:
    """Loads weights and tokenizer of a known name, GGUF file, directory or repository.

    Args:
        name_or_path: what `resolve` understands.
        dtype: `bfloat16`, or `float32` for twice the memory and about half the speed.

    Raises:
        ModelNotFoundError: nothing of that name, or not pulled yet.
        CorruptModelError: a damaged file.
        ModelError: an unknown dtype, or a model that sqlax cannot run.
    """
    if dtype not in DTYPES:
        raise ModelError(f"unknown dtype {dtype!r}; there are {', '.join(DTYPES)}")
    name = os.fspath(name_or_path)
    path = resolve(name)
    checkpoint, tokenizer = _read(path)
    _check_vocabulary(name, checkpoint, tokenizer)
    identity = f"{checkpoint.identity}:{dtype}"
    config, kind = checkpoint.config, np.dtype(dtype)
    tensors = fused(config, checkpoint.tensors, kind)
    if path.is_file() and is_worth_keeping(config, kind):
        folder = weights_folder() / f"{identity.replace(':', '-')}-{FORMAT}"
        tensors = kept(tensors, folder)
    decoder = assemble(config, tensors)
    return CausalLanguageModel.of(decoder, tokenizer, profile_for(name), name, identity)


def _read(path: Path) -> tuple[Checkpoint, Tokenizer]:
    if path.is_dir():
        return read_directory(path), tokenizers.from_file(path / "tokenizer.json")
    file = open_gguf(path)
    checkpoint = checkpoint_of(file)
    try:
        return checkpoint, tokenizers.from_gguf(file.metadata)
    except ModelError as error:
        raise type(error)(f"{path}: {error}") from error


def _check_vocabulary(name: str, checkpoint: Checkpoint, tokenizer: Tokenizer) -> None:
    """Raises CorruptModelError where text could become a token without an embedding."""
    rows = checkpoint.config.vocabulary
    if tokenizer.vocabulary_size > rows:
        raise CorruptModelError(
            f"{name}: the tokenizer has {tokenizer.vocabulary_size} tokens, "
            f"but the embedding has only {rows} rows"
        )
