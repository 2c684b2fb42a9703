"""Generated texts where they are: their bytes, their order, equality and patterns.

A generated text is a row of tokens; its text is their bytes without blanks at either end. What
compares texts reads a rank for every text id, made here in the graph.
"""

from sqlax.runtime.text.dictionary_bytes import DictionaryBytes
from sqlax.runtime.text.matches import matches
from sqlax.runtime.text.places import places
from sqlax.runtime.text.ranks import ranks
from sqlax.runtime.text.spelled import Spelled, joined, spelled, text_length
from sqlax.runtime.text.text_ranks import representative, text_ranks
from sqlax.runtime.text.token_bytes import TokenBytes, token_bytes_of

__all__ = [
    "DictionaryBytes",
    "Spelled",
    "TokenBytes",
    "joined",
    "matches",
    "places",
    "ranks",
    "representative",
    "spelled",
    "text_length",
    "text_ranks",
    "token_bytes_of",
]
