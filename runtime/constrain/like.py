"""LIKE and ILIKE patterns, as DuckDB reads them, as expressions."""

from __future__ import annotations

from collections.abc import Iterator

from sqlax.errors import BindError
from sqlax.runtime.constrain.characters import ANY, Characters, duckdb_lower
from sqlax.runtime.constrain.expression import ANYTHING, Chain, Expression, OneOf


def like(pattern: str, escape: str | None = None, *, ignore_case: bool = False) -> Expression:
    """The texts that match `pattern`: `%` is any text and `_` any one character.

    Args:
        pattern: the pattern, which has to match the whole text.
        escape: a character that makes the one behind it stand for itself; None for none.
        ignore_case: read it as ILIKE: characters are equal if their lower case is.

    Raises:
        BindError: the pattern ends with the escape character, or that is not one character.
    """
    if escape is not None and len(escape) > 1:
        raise BindError(f"the escape of a LIKE pattern is one character, not {escape!r}")
    parts, characters = list[Expression](), iter(pattern)
    for character in characters:
        if _same(character, escape, ignore_case):
            parts.append(_itself(_after_escape(characters, pattern), ignore_case))
        elif character == "%":
            parts.append(ANYTHING)
        else:
            parts.append(OneOf(ANY) if character == "_" else _itself(character, ignore_case))
    return Chain(tuple(parts))


def _same(character: str, escape: str | None, ignore_case: bool) -> bool:
    """Whether it is the escape character, which ILIKE reads in either case too."""
    if not ignore_case or not escape:
        return character == escape
    return character.lower() == escape.lower()


def _after_escape(characters: Iterator[str], pattern: str) -> str:
    character = next(characters, None)
    if character is None:
        raise BindError(f"the LIKE pattern {pattern!r} ends with its escape character")
    return character


def _itself(character: str, ignore_case: bool) -> Expression:
    alone = Characters.of(character)
    return OneOf(alone.closed(duckdb_lower()) if ignore_case else alone)
