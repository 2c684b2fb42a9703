"""What texts are allowed, as a tree: the one language into which every kind of constraint goes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.characters import ANY, Characters


@dataclass(frozen=True)
class Literal:
    """This text."""

    text: str


@dataclass(frozen=True)
class OneOf:
    """One character of a set."""

    characters: Characters


@dataclass(frozen=True)
class Chain:
    """One part after the other; no parts are the empty text."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Choice:
    """One of the parts; without parts, no text at all."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Repeat:
    """A part several times, `most` times at most; None for any number."""

    part: Expression
    least: int = 0
    most: int | None = None


class Place(Enum):
    """A place in the text, between two characters or at an end; takes up no text itself."""

    TEXT_BEGIN = auto()
    TEXT_END = auto()
    LINE_BEGIN = auto()
    LINE_END = auto()
    WORD_EDGE = auto()
    INSIDE = auto()
    """Not at the edge of a word; RE2 finds it between the bytes of one character too."""


@dataclass(frozen=True)
class At:
    """The empty text, at such a place."""

    place: Place


@dataclass(frozen=True, eq=False)
class Embedded:
    """A text that the automaton accepts."""

    automaton: ByteAutomaton


Expression: TypeAlias = Literal | OneOf | Chain | Choice | Repeat | At | Embedded

ANYTHING = Repeat(OneOf(ANY))
"""Every text."""
DIGIT = OneOf(Characters.of("0123456789"))


def chain(*parts: Expression | str) -> Chain:
    """One part after the other; a string is a literal."""
    return Chain(tuple(_expression(part) for part in parts))


def choice(*parts: Expression | str) -> Choice:
    """One of the parts; a string is a literal."""
    return Choice(tuple(_expression(part) for part in parts))


def optional(*parts: Expression | str) -> Repeat:
    """All parts or nothing."""
    return Repeat(chain(*parts), 0, 1)


def _expression(part: Expression | str) -> Expression:
    return Literal(part) if isinstance(part, str) else part
