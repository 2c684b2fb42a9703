"""From what texts are allowed to the automaton of an operator's rows."""

from __future__ import annotations

from sqlax.errors import CapacityError
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.store import lift_once
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.constrain.token_automaton import START, TokenAutomaton
from sqlax.runtime.constrain.vocabulary import Vocabulary


def token_automaton(
    expression: Expression, vocabulary: Vocabulary, max_tokens: int
) -> TokenAutomaton:
    """The expression's texts as an automaton over tokens, in NumPy arrays, stored on disk.

    Args:
        expression: what texts are allowed.
        vocabulary: the model's tokens.
        max_tokens: most tokens of an output, its end token not counted.

    Raises:
        BindError: no text is allowed.
        CapacityError: no allowed text is as short as `max_tokens`, or there are too many states.
    """
    automaton = lift_once(byte_automaton(expression), vocabulary).automaton
    least = int(automaton.closing[START])
    if least > max_tokens:
        raise CapacityError(
            f"max_tokens is {max_tokens}, and the shortest answer that fits takes {least} tokens"
        )
    return automaton
