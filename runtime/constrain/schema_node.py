"""One node of a JSON schema: keywords read one by one, and none passed over."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sqlax.errors import BindError, UnsupportedError

_ABOUT = "title description default examples deprecated readOnly writeOnly $schema $id $comment"
ANNOTATIONS = frozenset(_ABOUT.split())
"""Keywords that allow and forbid nothing."""


class SchemaNode:
    """A schema at a place, from which keywords are taken."""

    def __init__(self, schema: Any, path: str) -> None:
        """Reads a schema.

        Args:
            schema: what stands there.
            path: where, for messages.

        Raises:
            UnsupportedError: true, false or a schema without keywords, which would be any JSON.
            BindError: something that is no schema.
        """
        if isinstance(schema, bool) or schema == {}:
            raise UnsupportedError(f"JSON schema, {path}: a schema that says no type")
        if not isinstance(schema, Mapping):
            raise BindError(f"JSON schema, {path}: {schema!r} is no schema")
        self.path = path
        self._left = {k: v for k, v in schema.items() if k not in ANNOTATIONS}

    def has(self, keyword: str) -> bool:
        """Whether the keyword is there and has not been taken."""
        return keyword in self._left

    def take(self, keyword: str, default: Any = None) -> Any:
        """The keyword's value."""
        return self._left.pop(keyword, default)

    def take_count(self, keyword: str, default: int | None) -> int | None:
        """The keyword's value, a number of things."""
        value = self.take(keyword, default)
        if value is not None and (type(value) is not int or value < 0):
            raise self.wrong(f"{keyword} is {value!r}, expected a natural number")
        found: int | None = value
        return found

    def take_number(self, keyword: str) -> Decimal | None:
        """The keyword's value, a number, as it was written."""
        value = self.take(keyword)
        if value is None:
            return None
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            number = Decimal(str(value))
            if number.is_finite():
                return number
        raise self.wrong(f"{keyword} is {value!r}, expected a number")

    def end(self) -> None:
        """Raises UnsupportedError if a keyword was not taken: it would not be kept to."""
        for keyword in self._left:
            raise self.unsupported(repr(keyword))

    def wrong(self, reason: str) -> BindError:
        """The error to raise for a schema that means nothing."""
        return BindError(f"JSON schema, {self.path}: {reason}")

    def unsupported(self, construct: str) -> UnsupportedError:
        """The error to raise for what would not be kept to."""
        return UnsupportedError(f"JSON schema, {self.path}: {construct} is not supported here")
