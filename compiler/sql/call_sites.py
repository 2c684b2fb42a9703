"""Finds the semantic calls in a token stream, before any parser sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import Token, TokenType

from sqlax.compiler.sql.functions import SCHEMAS, compiled_function, is_spelling
from sqlax.compiler.sql.tokens import CLOSING, OPENING, QUOTED, Tokens, is_word, span_between

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlax.errors import Span


@dataclass(frozen=True)
class CallSite:
    """One call: `tokens[first:opening]` is its name, `opening` and `closing` its brackets."""

    name: str
    first: int
    opening: int
    closing: int

    def name_span(self, tokens: Tokens) -> Span:
        """The range of the name as it was written."""
        return span_between(tokens[self.first], tokens[self.opening - 1])

    def span(self, tokens: Tokens) -> Span:
        """The range of the whole call."""
        return span_between(tokens[self.first], tokens[min(self.closing, len(tokens) - 1)])

    def written(self, tokens: Tokens) -> str:
        """The name as it was written: `ai.if`."""
        return "".join(token.text for token in tokens[self.first : self.opening])

    def argument_spans(self, tokens: Tokens) -> tuple[Span, ...]:
        """The range of each argument, its name and brackets included."""
        pieces = split_top_level(tokens[self.opening + 1 : self.closing], TokenType.COMMA)
        return tuple(span_between(piece[0], piece[-1]) for piece in pieces if piece)


_DEFINING: Final = frozenset(
    {TokenType.INTO, TokenType.TABLE, TokenType.VIEW, TokenType.FUNCTION, TokenType.WITH}
    | {TokenType.REFERENCES, TokenType.RECURSIVE, TokenType.EXISTS, TokenType.DOT}
)
"""After these a name and a bracket define something: a table and its columns, a macro."""

_ALIASED: Final = frozenset(
    {TokenType.ALIAS, TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER}
    | CLOSING
)
"""After these a name and a bracket are an alias and its columns: `FROM t AS ai_t(a, b)`."""


def find_sites(tokens: Tokens, foreign: Collection[str] = ()) -> list[CallSite]:
    """The calls of semantic functions, of unknown `AI_*` names too, in order of their names.

    Args:
        tokens: the tokens of a text.
        foreign: names that the database itself defines, such as a user's macro `ai_clean`.
    """
    own = frozenset(name.upper() for name in foreign)
    closings = _closings(tokens)
    sites: list[CallSite] = []
    for first in range(len(tokens) - 1):
        opening = _name_end(tokens, first)
        if opening is None or _is_definition(tokens, first, closings[opening]):
            continue
        name = _canonical_spelling(tokens[first:opening])
        if name in own:
            continue
        if name == "PROMPT" and any(site.closing > closings[opening] for site in sites):
            continue  # the prompt form within a call, not MotherDuck's function
        sites.append(CallSite(name, first, opening, closings[opening]))
    return sites


def split_top_level(tokens: Tokens, separator: TokenType) -> list[Tokens]:
    """The pieces between separators that stand outside all brackets."""
    pieces: list[Tokens] = []
    start = depth = 0
    for index, token in enumerate(tokens):
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth == 0 and token.token_type is separator:
            pieces.append(tokens[start:index])
            start = index + 1
    return [*pieces, tokens[start:]]


def _name_end(tokens: Tokens, first: int) -> int | None:
    """The index of the bracket after a semantic function's name that starts here."""
    if tokens[first].token_type in QUOTED or _kind(tokens, first - 1) is TokenType.DOT:
        return None
    if _kind(tokens, first + 1) is TokenType.L_PAREN:
        return first + 1 if is_spelling(tokens[first].text) else None
    dotted = is_word(tokens[first], *SCHEMAS) and _kind(tokens, first + 1) is TokenType.DOT
    if dotted and _kind(tokens, first + 3) is TokenType.L_PAREN:
        return None if tokens[first + 2].token_type in QUOTED else first + 3
    return None


def _canonical_spelling(name: Tokens) -> str:
    """`ai.if`, `GOOGLE_ML.IF` and `ai_if` are all `AI_IF`."""
    last = name[-1].text.upper()
    return last if len(name) == 1 or last.startswith("AI_") else f"AI_{last}"


def _is_definition(tokens: Tokens, first: int, closing: int) -> bool:
    before = _kind(tokens, first - 1)
    if before in _DEFINING or _defines_query(tokens, closing) or _is_index(tokens, first):
        return True
    return before in _ALIASED and compiled_function(tokens[first].text) is None


def _defines_query(tokens: Tokens, closing: int) -> bool:
    """`name(a, b) AS (` and `AS [NOT] MATERIALIZED (` define a query with named columns."""
    if _kind(tokens, closing + 1) is not TokenType.ALIAS or closing + 2 >= len(tokens):
        return False
    after = tokens[closing + 2]
    return after.token_type is TokenType.L_PAREN or is_word(after, "MATERIALIZED", "NOT")


def _is_index(tokens: Tokens, first: int) -> bool:
    """`CREATE INDEX i ON name(column)`."""
    on = _kind(tokens, first - 1) is TokenType.ON
    return on and _kind(tokens, first - 3) in (TokenType.INDEX, TokenType.EXISTS)


def _closings(tokens: Tokens) -> dict[int, int]:
    """Each opening bracket's closing one; the end of the text where there is none."""
    closings: dict[int, int] = {}
    stack: list[int] = []
    for index, token in enumerate(tokens):
        if token.token_type in OPENING:
            stack.append(index)
        elif token.token_type in CLOSING and stack:
            closings[stack.pop()] = index
    return closings | dict.fromkeys(stack, len(tokens))


def _kind(tokens: Tokens, index: int) -> TokenType | None:
    token: Token | None = tokens[index] if 0 <= index < len(tokens) else None
    return None if token is None else token.token_type
