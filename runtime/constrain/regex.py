"""Regular expressions of RE2, which DuckDB's functions read, as expressions.

Which match is found first makes no difference to whether there is one, so lazy operators are the
same as greedy ones, and groups are not remembered.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from sqlax.runtime.constrain.characters import ANY, Characters
from sqlax.runtime.constrain.expression import (
    ANYTHING,
    At,
    Chain,
    Choice,
    Expression,
    OneOf,
    Place,
    Repeat,
    chain,
)
from sqlax.runtime.constrain.regex_set import bracket_set, escaped_set, folded
from sqlax.runtime.constrain.scanner import Scanner

MOST_REPEATS = 1000
"""RE2's limit on a counted repetition."""

_NO_NEWLINE = ANY.minus(Characters.of("\n"))
_PLACES = {
    "A": Place.TEXT_BEGIN,
    "z": Place.TEXT_END,
    "b": Place.WORD_EDGE,
    "B": Place.INSIDE,
}
_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP_NAME = re.compile(r"\?P?<\w+>")
_FLAGS = re.compile(r"\?([imsU]*)(-[imsU]+)?([:)])")


class Flags(NamedTuple):
    """How a regular expression is read.

    Attributes:
        fold: case does not count: (?i).
        dot_all: a dot is any character, a line feed too: (?s).
        lines: ^ and $ also stand at the ends of lines: (?m).
    """

    fold: bool = False
    dot_all: bool = False
    lines: bool = False


PLAIN = Flags()
"""As a pattern is read where nothing is said."""


def regex(pattern: str, flags: Flags = PLAIN) -> Expression:
    """The texts that `pattern` matches as a whole, as in regexp_full_match.

    Raises:
        BindError: the pattern is no regular expression of RE2.
        UnsupportedError: it has what finite automata have not: look-around, backreferences.
    """
    scanner = Scanner(pattern)
    expression = _choice(scanner, flags)
    if not scanner.done():
        raise scanner.wrong("there is a ) without (")
    return expression


def regex_anywhere(pattern: str, flags: Flags = PLAIN) -> Expression:
    """The texts with a match of `pattern` in them, as in regexp_matches; errors as of `regex`."""
    return chain(ANYTHING, regex(pattern, flags), ANYTHING)


def _choice(scanner: Scanner, flags: Flags) -> Expression:
    """Alternatives up to the end or a closing bracket; flags hold on behind a `|`."""
    branches, parts = [], list[Expression]()
    while not scanner.done() and not scanner.at(")"):
        changed = _flags(scanner, flags)
        if changed is not None:
            flags = changed
        elif scanner.take_if("|"):
            branches.append(Chain(tuple(parts)))
            parts = []
        elif scanner.take_if("\\Q"):
            parts.extend(_quoted(scanner, flags))
        else:
            parts.append(_repeated(scanner, _atom(scanner, flags)))
    return Choice((*branches, Chain(tuple(parts)))) if branches else Chain(tuple(parts))


def _flags(scanner: Scanner, flags: Flags) -> Flags | None:
    """The flags after `(?i)` and its like, which is passed; None where there is none."""
    found = _FLAGS.match(scanner.pattern, scanner.position + 1) if scanner.at("(?") else None
    if found is None or found[3] != ")":
        return None
    scanner.position = found.end()
    return _changed(flags, found)


def _changed(flags: Flags, found: re.Match[str]) -> Flags:
    names = {"i": "fold", "s": "dot_all", "m": "lines"}
    on = {names[flag]: True for flag in found[1] if flag in names}
    off = {names[flag]: False for flag in found[2] or "" if flag in names}
    return flags._replace(**on, **off)


def _quoted(scanner: Scanner, flags: Flags) -> list[Expression]:
    r"""The characters up to `\E` or the end, each itself; a repetition is of the last one."""
    text = scanner.take_until("\\E") if "\\E" in scanner.rest() else scanner.take_rest()
    parts: list[Expression] = [OneOf(folded(Characters.of(c), flags.fold)) for c in text]
    return [*parts[:-1], _repeated(scanner, parts[-1])] if parts else parts


def _atom(scanner: Scanner, flags: Flags) -> Expression:
    character = scanner.take()
    match character:
        case "(":
            return _group(scanner, flags)
        case "[":
            return OneOf(bracket_set(scanner, flags.fold))
        case ".":
            return OneOf(ANY if flags.dot_all else _NO_NEWLINE)
        case "^":
            return At(Place.LINE_BEGIN if flags.lines else Place.TEXT_BEGIN)
        case "$":
            return At(Place.LINE_END if flags.lines else Place.TEXT_END)
        case "\\":
            return _escape(scanner, flags)
        case "*" | "+" | "?":
            raise scanner.wrong(f"there is nothing before {character} to repeat")
    return OneOf(folded(Characters.of(character), flags.fold))


def _group(scanner: Scanner, flags: Flags) -> Expression:
    name = _GROUP_NAME.match(scanner.pattern, scanner.position)
    inner = _FLAGS.match(scanner.pattern, scanner.position)
    if name:
        scanner.position = name.end()
    elif inner:
        scanner.position, flags = inner.end(), _changed(flags, inner)
    elif scanner.at("?"):
        raise scanner.unsupported(f"({scanner.rest()[:3]}")
    expression = _choice(scanner, flags)
    if not scanner.take_if(")"):
        raise scanner.wrong("a ( is not closed")
    return expression


def _escape(scanner: Scanner, flags: Flags) -> Expression:
    place = _PLACES.get(scanner.rest()[:1])
    if place is not None:
        scanner.take()
        return At(place)
    if scanner.at("C"):
        raise scanner.unsupported("\\C, a single byte,")
    return OneOf(escaped_set(scanner, flags.fold))


def _repeated(scanner: Scanner, part: Expression) -> Expression:
    """The part with the repetition behind it, if there is one."""
    bounds = _bounds(scanner)
    if bounds is None:
        return part
    scanner.take_if("?")
    again = scanner.position
    if _bounds(scanner) is not None:
        scanner.position = again
        raise scanner.wrong("a repetition cannot be repeated without brackets")
    return Repeat(part, *bounds)


def _bounds(scanner: Scanner) -> tuple[int, int | None] | None:
    """The bounds of a repetition, which is passed; `{` that begins none is a character."""
    for sign, bounds in {"*": (0, None), "+": (1, None), "?": (0, 1)}.items():
        if scanner.take_if(sign):
            return bounds
    count = _COUNT.match(scanner.pattern, scanner.position)
    if count is None:
        return None
    scanner.position = count.end()
    least = int(count[1])
    most = least if count[2] is None else int(count[3]) if count[3] else None
    if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
        raise scanner.wrong(f"{count[0]} is no repetition; the most is {MOST_REPEATS}")
    return least, most
