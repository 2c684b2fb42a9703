"""Tokenizers, built from a GGUF file's metadata or from a tokenizer.json."""

from sqlax.models.tokenizers.byte_pair import BytePairTokenizer
from sqlax.models.tokenizers.gguf import from_gguf
from sqlax.models.tokenizers.json_file import from_file

__all__ = ["BytePairTokenizer", "from_file", "from_gguf"]
