"""Prompt templates: literals with `{column}` or `{0}` in them; `{{` and `}}` are braces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.place import Place, set_span
from sqlax.errors import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Slot:
    """What stands between two braces, and the place of both braces."""

    name: str
    place: Place


_NAME: Final = r'(?:[^\W\d][\w$]*|"(?:[^"]|"")+")'
_COLUMN: Final = re.compile(rf"{_NAME}(?:\.{_NAME}){{0,3}}")
_PART: Final = re.compile(_NAME)
_PIECE: Final = re.compile(r"\{\{|\}\}|\{[^{}]*\}|[{}]|[^{}]+")


def split_template(text: str, place: Place) -> Iterator[str | Slot]:
    """The texts and slots of a template whose literal stands at `place`.

    Raises:
        BindError: a brace without its partner.
    """
    for match in _PIECE.finditer(text):
        piece = match.group()
        if piece in ("{{", "}}"):
            yield piece[0]
        elif piece in ("{", "}"):
            inside = place_inside(place, text, match.start(), match.end())
            raise inside.error(f"a {piece} without its partner; write {piece * 2} for a brace")
        elif piece[0] == "{":
            inside = place_inside(place, text, match.start(), match.end())
            yield Slot(piece[1:-1].strip(), inside)
        else:
            yield piece


def column_of(slot: Slot) -> exp.Column:
    """The column that a slot such as `{review}` or `{r."Text"}` names.

    Its metadata holds the place of the braces, for an error about an unknown column.

    Raises:
        BindError: it is not a column name.
    """
    if not _COLUMN.fullmatch(slot.name):
        raise slot.place.error(_not_a_column(slot.name))
    column = exp.column(*reversed([_identifier(part) for part in _PART.findall(slot.name)]))
    for node in column.walk():
        set_span(node, slot.place.span)
    return column


def fill_numbered(
    pieces: Iterator[str | Slot], arguments: list[exp.Expr], at: Callable[[exp.Expr], Place]
) -> Iterator[str | exp.Expr]:
    """The pieces of `PROMPT('.. {0} ..', a)` with its arguments in place of the numbers.

    Raises:
        BindError: a slot that is no argument's number, or an argument that no slot uses.
    """
    unused = dict(enumerate(arguments))
    for piece in pieces:
        if isinstance(piece, str):
            yield piece
            continue
        index = _argument_number(piece, len(arguments))
        unused.pop(index, None)
        yield arguments[index]
    for index, argument in unused.items():
        raise at(argument).error(f"no {{{index}}} in the template uses this argument")


def place_inside(place: Place, text: str, start: int, end: int) -> Place:
    """The place of `text[start:end]` within the literal at `place` that spells this text."""
    offsets = _source_offsets(place.sql[place.span.start : place.span.end], text)
    if offsets is None:
        return place
    first = place.span.start
    return Place(place.sql, Span(first + offsets[start], first + offsets[end - 1] + 1))


def _source_offsets(source: str, text: str) -> list[int] | None:
    """Where each character of a literal's text stands in its source, if that can be told."""
    if (shift := source.find(text)) >= 0:
        return [shift + index for index in range(len(text))]
    doubled = text.replace("'", "''")
    if source[1:-1] != doubled:
        return None
    offsets, position = [], 1
    for character in text:
        offsets.append(position)
        position += 2 if character == "'" else 1
    return offsets


def _argument_number(slot: Slot, count: int) -> int:
    if not slot.name.isdecimal():
        raise slot.place.error(f"PROMPT fills numbered slots such as {{0}}, not {{{slot.name}}}")
    index = int(slot.name)
    if index >= count:
        arguments = "1 argument" if count == 1 else f"{count} arguments"
        raise slot.place.error(f"{{{index}}} of {arguments}: the numbers start at 0")
    return index


def _not_a_column(name: str) -> str:
    if name.isdecimal():
        return f"{{{name}}} takes an argument of PROMPT(...); here name a column"
    return f"{{{name}}} is not a column name; write {{{{ and }}}} for braces"


def _identifier(part: str) -> exp.Identifier:
    if part.startswith('"'):
        return exp.to_identifier(part[1:-1].replace('""', '"'), quoted=True)
    return exp.to_identifier(part, quoted=False)
