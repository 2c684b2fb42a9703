"""What a program reads to spell and to order the texts that models write in it."""

from __future__ import annotations

import dataclasses

import jax

from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.token_bytes import TokenBytes


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class TextTables:
    """Bytes of tokens and of the dictionary.

    Attributes:
        tokens: what the tokens of each model that writes spell, by its name.
        dictionary: the entries that written texts are compared with.
    """

    tokens: dict[str, TokenBytes]
    dictionary: DictionaryBytes
