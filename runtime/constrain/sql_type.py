"""SQL types as trees, read from their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import duckdb

from sqlax.errors import BindError


@dataclass(frozen=True)
class Scalar:
    """A type without parts.

    Attributes:
        name: DuckDB's name in lower case, whatever alias was written.
        arguments: the numbers behind it: DECIMAL's digits, VARCHAR's most characters.
    """

    name: str
    arguments: tuple[int, ...] = ()


@dataclass(frozen=True)
class Labels:
    """ENUM: one of these texts."""

    labels: tuple[str, ...]


@dataclass(frozen=True)
class ListOf:
    """A list of items, of `size` items where that is fixed."""

    item: SqlType
    size: int | None = None


@dataclass(frozen=True)
class Struct:
    """Named fields in order."""

    fields: tuple[tuple[str, SqlType], ...]


SqlType: TypeAlias = Scalar | Labels | ListOf | Struct

T = TypeVar("T")

_TOKEN = re.compile(r"""\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|\w+|[^\s\w])""")


def parse_type(text: str) -> SqlType:
    """The type that `text` means, such as `STRUCT(a VARCHAR(20), b DOUBLE[])[]`.

    Raises:
        BindError: it is no type.
    """
    reader = _Reader(text)
    found = reader.type()
    reader.end()
    return found


def parse_columns(text: str) -> Struct:
    """The columns that `text` lists, such as `a VARCHAR, b INTEGER`.

    Raises:
        BindError: it is no list of columns.
    """
    reader = _Reader(text)
    found = Struct(tuple(reader.fields()))
    reader.end()
    return found


class _Reader:
    """A type's text, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[str] = [*_TOKEN.findall(text), ""]
        self._position = 0

    def type(self) -> SqlType:
        """A type with its brackets behind it."""
        found = self._base()
        while self._take_if("["):
            size = None if self._next == "]" else self._number()
            self._expect("]")
            found = ListOf(found, size)
        return found

    def fields(self) -> list[tuple[str, SqlType]]:
        """Names and types with commas between them."""
        found = [(self._name(), self.type())]
        while self._take_if(","):
            found.append((self._name(), self.type()))
        names = [name.lower() for name, _ in found]
        if len(set(names)) < len(names):
            raise self._wrong("two fields have the same name")
        return found

    def end(self) -> None:
        """Raises BindError if anything is left."""
        if self._next:
            raise self._wrong(f"{self._next!r} is too much")

    @property
    def _next(self) -> str:
        return self._tokens[self._position]

    def _base(self) -> SqlType:
        word = self._next.upper()
        if word in ("STRUCT", "ROW"):
            self._take()
            self._expect("(")
            fields = tuple(self.fields())
            self._expect(")")
            return Struct(fields)
        if word == "ENUM":
            self._take()
            return Labels(tuple(self._list(self._label)))
        return self._scalar()

    def _scalar(self) -> Scalar:
        words = []
        while self._next[:1].isalpha() or self._next[:1] == "_":
            words.append(self._take())
        arguments = tuple(self._list(self._number)) if self._next == "(" else ()
        spelled = " ".join(words) + (f"({', '.join(map(str, arguments))})" if arguments else "")
        return Scalar(self._duckdb_name(spelled), arguments)

    def _duckdb_name(self, spelled: str) -> str:
        try:
            found = duckdb.sqltype(spelled)
        except duckdb.Error:
            raise self._wrong(f"{spelled or self._next!r} is no type") from None
        return "json" if str(found) == "JSON" else str(found.id)

    def _list(self, item: Callable[[], T]) -> list[T]:
        """Items in round brackets with commas between them."""
        self._expect("(")
        found = [item()]
        while self._take_if(","):
            found.append(item())
        self._expect(")")
        return found

    def _name(self) -> str:
        token = self._take()
        if token[:1] == '"':
            return token[1:-1].replace('""', '"')
        if not re.fullmatch(r"\w+", token):
            raise self._wrong(f"{token!r} is no name")
        return token

    def _label(self) -> str:
        token = self._take()
        if token[:1] != "'":
            raise self._wrong(f"{token!r} is no text in quotes")
        return token[1:-1].replace("''", "'")

    def _number(self) -> int:
        token = self._take()
        if not token.isdecimal():
            raise self._wrong(f"{token!r} is no number")
        return int(token)

    def _take(self) -> str:
        token = self._next
        self._position = min(self._position + 1, len(self._tokens) - 1)
        return token

    def _take_if(self, token: str) -> bool:
        found = self._next == token
        if found:
            self._take()
        return found

    def _expect(self, token: str) -> None:
        if not self._take_if(token):
            raise self._wrong(f"expected {token!r}, found {self._next or 'the end'!r}")

    def _wrong(self, reason: str) -> BindError:
        return BindError(f"the type {self._text!r} cannot be read: {reason}")
