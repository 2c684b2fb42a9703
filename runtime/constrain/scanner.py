"""Reading a pattern from left to right, with errors that name the place."""

from __future__ import annotations

from sqlax.errors import BindError, UnsupportedError


class Scanner:
    """A pattern and a position in it."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0

    def done(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.pattern)

    def at(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.pattern.startswith(text, self.position)

    def rest(self) -> str:
        """What is left."""
        return self.pattern[self.position :]

    def take_rest(self) -> str:
        """What is left, which is passed."""
        rest, self.position = self.rest(), len(self.pattern)
        return rest

    def take(self) -> str:
        """The next character, which is passed.

        Raises:
            BindError: nothing is left.
        """
        if self.done():
            raise self.wrong("it ends too early")
        self.position += 1
        return self.pattern[self.position - 1]

    def take_if(self, text: str) -> bool:
        """Passes `text` if it comes next; whether it did."""
        found = self.at(text)
        if found:
            self.position += len(text)
        return found

    def take_until(self, text: str) -> str:
        """What stands before the next `text`; both are passed."""
        end = self.pattern.find(text, self.position)
        if end < 0:
            raise self.wrong(f"{text} is missing")
        found = self.pattern[self.position : end]
        self.position = end + len(text)
        return found

    def wrong(self, reason: str) -> BindError:
        """The error to raise for a pattern that means nothing."""
        return BindError(self._message(reason))

    def unsupported(self, construct: str) -> UnsupportedError:
        """The error to raise for a construct that no finite automaton has, or that is not built."""
        return UnsupportedError(self._message(f"{construct} is not supported"))

    def _message(self, reason: str) -> str:
        return f"regular expression {self.pattern!r}, position {self.position}: {reason}"
