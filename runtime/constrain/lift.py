"""From an automaton over bytes to one over a model's tokens (Willard and Louf, 2023)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sqlax.errors import BindError, CapacityError
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton, HostInts
from sqlax.runtime.constrain.closing import closing_tokens
from sqlax.runtime.constrain.forcing import forced_tokens, with_forced_steps
from sqlax.runtime.constrain.minimal import by_first_visit
from sqlax.runtime.constrain.steps import Steps, token_steps
from sqlax.runtime.constrain.token_automaton import NEVER, START, TokenAutomaton
from sqlax.runtime.constrain.vocabulary import Vocabulary
from sqlax.runtime.load.columns import device_like
from sqlax.runtime.relation import bucket

LEAST = 64
"""States and classes are padded to a power of two, to this one at least."""
MOST_STEPS = 1 << 25
"""Entries of the padded table, of four bytes each, before which a constraint is refused."""

HostBools = npt.NDArray[np.bool_]


class Lifted(NamedTuple):
    """An automaton over tokens, and the byte automaton's state that each of its states is; int32.

    Padded states have no origin.
    """

    automaton: TokenAutomaton
    origin: HostInts


def lift(automaton: ByteAutomaton, vocabulary: Vocabulary, over: HostBools) -> Lifted:
    """The automaton over tokens, in NumPy arrays: each token is the way that its bytes take.

    Control tokens are allowed nowhere. Where only one text can follow, one way of spelling it in
    tokens is left; a state has either one token or a choice that makes a difference.

    Args:
        automaton: the automaton over bytes.
        vocabulary: the tokens.
        over: bool[states], those that a token may go through and after which no other one comes.

    Raises:
        BindError: the model's tokens can spell none of the accepted texts.
        CapacityError: the table would be too large.
    """
    accepting = np.asarray(automaton.accepting)
    steps = token_steps(automaton, vocabulary)
    steps = Steps(steps.class_of_token, np.where(over[:, None], np.int32(-1), steps.next))
    closing = closing_tokens(steps.next, accepting)
    if closing[START] == NEVER:
        raise BindError("no text that the model's tokens can spell fits the constraint")
    closable = np.append(closing < NEVER, False)[steps.next]
    steps = Steps(steps.class_of_token, np.where(closable, steps.next, np.int32(-1)))
    table = with_forced_steps(automaton, steps, closing, vocabulary)
    kept = by_first_visit(table, START)
    place = np.full(len(table) + 1, -1, np.int32)
    place[kept] = np.arange(len(kept))
    steps = _with_few_classes(Steps(steps.class_of_token, place[table[kept]]))
    origin = np.asarray(kept, np.int32)
    return Lifted(_padded(steps, accepting[kept], vocabulary), origin)


def _with_few_classes(steps: Steps) -> Steps:
    """The steps with classes joined that have come to lead to the same states."""
    columns = {np.full(len(steps.next), -1, np.int32).tobytes(): 0}
    rows = np.ascontiguousarray(steps.next.T)
    numbers = [columns.setdefault(row.tobytes(), len(columns)) for row in rows]
    table = np.stack([np.frombuffer(column, np.int32) for column in columns], axis=1)
    return Steps(np.asarray(numbers, np.int32)[steps.class_of_token], table)


def _padded(steps: Steps, accepting: HostBools, vocabulary: Vocabulary) -> TokenAutomaton:
    states, classes = (bucket(size, LEAST) for size in steps.next.shape)
    if states * classes > MOST_STEPS:
        raise CapacityError(
            f"the constraint has {len(accepting)} states and {steps.next.shape[1]} classes of "
            f"tokens, more than a table of {MOST_STEPS} entries holds"
        )
    closing = closing_tokens(steps.next, accepting)
    table = np.full((states, classes), -1, np.int32)
    table[: steps.next.shape[0], : steps.next.shape[1]] = steps.next
    return TokenAutomaton(
        class_of_token=device_like(steps.class_of_token, np.int32),
        ends=device_like(vocabulary.ends, np.bool_),
        next=device_like(table, np.int32),
        accepting=device_like(_filled(accepting, states, False), np.bool_),
        closing=device_like(_filled(closing, states, NEVER), np.int32),
        forced=device_like(_filled(forced_tokens(steps, accepting), states, -1), np.int32),
    )


def _filled(values: HostInts | HostBools, capacity: int, value: int) -> npt.NDArray[np.generic]:
    return np.append(values, np.full(capacity - len(values), value, values.dtype))
