"""The constant arguments of one call, read by name; an absent one has its default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlax.compiler.sql.constants import (
    read_boolean,
    read_choice,
    read_integer,
    read_number,
    read_share,
    read_text,
)
from sqlax.compiler.sql.functions import IGNORED_ARGUMENTS

if TYPE_CHECKING:
    from sqlax.compiler.sql.arguments import Argument, Arguments


@dataclass(frozen=True)
class Options:
    """Reads arguments that are constants; every method raises BindError for another kind."""

    arguments: Arguments

    def given(self, name: str) -> Argument | None:
        """The argument itself, None if it is absent."""
        return self.arguments.get(name)

    def text(self, name: str) -> str | None:
        """A constant text."""
        given = self.given(name)
        return None if given is None else read_text(given.value, given.place, name)

    def flag(self, name: str) -> bool:
        """TRUE or FALSE, FALSE if absent."""
        given = self.given(name)
        return given is not None and read_boolean(given.value, given.place, name)

    def share(self, name: str) -> float | None:
        """A number from 0 to 1."""
        given = self.given(name)
        return None if given is None else read_share(given.value, given.place, name)

    def integer(self, name: str, least: int | None = None) -> int | None:
        """An integer, at least `least`."""
        given = self.given(name)
        return None if given is None else read_integer(given.value, given.place, name, least)

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of a few words, the first if absent."""
        given = self.given(name)
        if given is None:
            return choices[0]
        return read_choice(given.value, given.place, name, choices)

    def zero_temperature(self) -> float:
        """0: a score is read, not drawn, so no other temperature has a meaning."""
        given = self.given("temperature")
        if given is not None and read_number(given.value, given.place, "temperature") != 0:
            message = "temperature must be 0: the answer is read from scores, not drawn"
            raise given.place.error(message)
        return 0.0

    def model(self) -> str | None:
        """The model's name; BigQuery's endpoint is one unless it belongs to a connection."""
        model, endpoint = self.given("model"), self.given("endpoint")
        if endpoint is not None and self.given("connection_id") is None:
            if model is not None:
                raise endpoint.place.error("model is given twice: endpoint names one too")
            model = endpoint
        if model is None:
            return None
        name = read_text(model.value, model.place, "model")
        if not name.strip():
            raise model.place.error("model must name a model")
        return name

    def warnings(self) -> tuple[str, ...]:
        """A line for each argument that has no effect."""
        ignored = IGNORED_ARGUMENTS & self.arguments.keys()
        if {"connection_id", "endpoint"} <= self.arguments.keys():
            ignored |= {"endpoint"}
        return tuple(f"{name} has no effect: the model runs here" for name in sorted(ignored))
