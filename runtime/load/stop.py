"""What stop strings come to for a model's tokens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sqlax.errors import UnsupportedError
from sqlax.models.tokenizer import Tokenizer
from sqlax.runtime.constrain.byte_automaton import HostInts
from sqlax.runtime.constrain.stops import stop_automaton
from sqlax.runtime.constrain.store import lift_once
from sqlax.runtime.constrain.token_automaton import TokenAutomaton
from sqlax.runtime.constrain.vocabulary import Vocabulary
from sqlax.runtime.generate.stop import Stop
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.text.token_bytes import token_bytes_of


class Stopping(NamedTuple):
    """Texts up to their first stop string: the automaton to write them with, and how to cut."""

    automaton: TokenAutomaton
    stop: Stop


@lru_cache(maxsize=16)
def load_stop(stops: tuple[str, ...], tokenizer: Tokenizer, vocabulary: Vocabulary) -> Stopping:
    """What some stop strings come to, in NumPy arrays; kept while among the last few, and on disk.

    Raises:
        CapacityError: the automaton's table would be too large.
        UnsupportedError: a text may have to end in a token whose bytes the model cannot write.
    """
    found = stop_automaton(stops, vocabulary.spelled.shape[1])
    automaton, origin = lift_once(found.automaton, vocabulary, found.over)
    cut = np.zeros(len(automaton.closing), np.int32)
    cut[: len(origin)] = found.cut[origin]
    of_byte, kept = _of_byte(vocabulary), _kept(stops, vocabulary)
    missing = {byte for head in kept for byte in head if of_byte[byte] < 0}
    if missing:
        raise UnsupportedError(f"the model has no token for the byte {min(missing)} alone")
    stop = Stop(
        cut=device_like(cut, np.int32),
        tokens=token_bytes_of(tokenizer),
        of_byte=device_like(of_byte, np.int32),
        most_kept=max(map(len, kept), default=0),
    )
    return Stopping(automaton, stop)


def _of_byte(vocabulary: Vocabulary) -> HostInts:
    tokens = np.full(256, -1, np.int32)
    single = np.flatnonzero(vocabulary.length == 1)
    tokens[vocabulary.spelled[single, 0]] = single
    return tokens


def _kept(stops: tuple[str, ...], vocabulary: Vocabulary) -> set[bytes]:
    """What may be left of tokens: what stands in them before a stop string, or its beginning."""
    encoded = [stop.encode() for stop in stops]
    lengths = vocabulary.length.tolist()
    spelled = (
        bytes(row[:size].tolist()) for row, size in zip(vocabulary.spelled, lengths, strict=True)
    )
    return {head for token in spelled for stop in encoded for head in _heads(token, stop)}


def _heads(token: bytes, stop: bytes) -> Iterator[bytes]:
    at = token.find(stop[:1], 1)
    while at > 0:
        if stop.startswith(token[at : at + len(stop)]):
            yield token[:at]
        at = token.find(stop[:1], at + 1)
