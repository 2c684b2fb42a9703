"""Strings of JSON: the texts between the quotes, and how they are escaped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.dates import date, time, timestamp
from sqlax.runtime.constrain.expression import Embedded, Expression, chain
from sqlax.runtime.constrain.minimal import minimal
from sqlax.runtime.constrain.regex import regex
from sqlax.runtime.constrain.subsets import byte_automaton

FORMATS: dict[str, Callable[[], Expression]] = {
    "date": date,
    "time": time,
    "timestamp": timestamp,
    "date-time": lambda: timestamp("T", "Z"),
    "uuid": lambda: regex("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
}
"""Values of `format`: JSON Schema's, of which date-time is in UTC, and SQL's timestamp."""

_SHORT_ESCAPES = {"\b": "b", "\t": "t", "\n": "n", "\f": "f", "\r": "r", '"': '"', "\\": "\\"}


def json_string(content: Expression) -> Expression:
    """The texts as strings of JSON, each in one spelling.

    Characters stand for themselves; quotes, backslashes and the control characters with a short
    escape are escaped. Texts with other control characters are left out.
    """
    return chain('"', Embedded(_escaped(byte_automaton(content))), '"')


def _escaped(automaton: ByteAutomaton) -> ByteAutomaton:
    """The automaton of the escaped texts: beside each state, the one behind a backslash."""
    table = automaton.by_byte()
    count = len(table)
    escaped = np.concatenate([table, np.full_like(table, -1)])
    escaped[:, [*range(0x20), ord('"'), ord("\\")]] = -1
    for character, letter in _SHORT_ESCAPES.items():
        escaped[count:, ord(letter)] = table[:, ord(character)]
    escaped[:count, ord("\\")] = np.arange(count, 2 * count)
    accepting = np.concatenate([np.asarray(automaton.accepting), np.zeros(count, bool)])
    return minimal(np.arange(256, dtype=np.int32), escaped, accepting)
