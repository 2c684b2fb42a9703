"""Free text, limited in length and by a pattern."""

from __future__ import annotations

from sqlax.runtime.constrain.characters import ANY
from sqlax.runtime.constrain.expression import Embedded, Expression, OneOf, Repeat
from sqlax.runtime.constrain.intersection import intersection
from sqlax.runtime.constrain.subsets import byte_automaton


def text(least: int = 0, most: int | None = None, pattern: Expression | None = None) -> Expression:
    """The texts of `least` to `most` characters that fit `pattern` as a whole."""
    lengths = Repeat(OneOf(ANY), least, most)
    if pattern is None:
        return lengths
    if least == 0 and most is None:
        return pattern
    return Embedded(intersection(byte_automaton(lengths), byte_automaton(pattern)))
