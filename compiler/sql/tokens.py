"""The tokens of a SQL text, as each dialect reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from sqlglot import Token, TokenType
from sqlglot.dialects.bigquery import BigQuery
from sqlglot.dialects.duckdb import DuckDB
from sqlglot.dialects.snowflake import Snowflake
from sqlglot.errors import TokenError

from sqlax.errors import ParseError, Span

if TYPE_CHECKING:
    from sqlglot.dialects.dialect import Dialect as SqlglotDialect

Dialect = Literal["duckdb", "bigquery", "snowflake"]
"""Whose lexical rules and parser a text follows; the tree that results is neutral."""

Tokens = tuple[Token, ...]

DIALECTS: Final[dict[str, type[SqlglotDialect]]] = {
    "duckdb": DuckDB,
    "bigquery": BigQuery,
    "snowflake": Snowflake,
}

OPENING: Final = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
CLOSING: Final = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
QUOTED: Final = frozenset({TokenType.IDENTIFIER, TokenType.STRING})


# Without commands: sqlglot would swallow all that follows EXPLAIN or CALL into one string.
class _DuckDBTokenizer(DuckDB.Tokenizer):
    COMMANDS: ClassVar[set[TokenType]] = set()


class _BigQueryTokenizer(BigQuery.Tokenizer):
    COMMANDS: ClassVar[set[TokenType]] = set()


class _SnowflakeTokenizer(Snowflake.Tokenizer):
    COMMANDS: ClassVar[set[TokenType]] = set()


_TOKENIZERS: Final = {
    "duckdb": _DuckDBTokenizer,
    "bigquery": _BigQueryTokenizer,
    "snowflake": _SnowflakeTokenizer,
}


def tokenize(sql: str, dialect: Dialect = "duckdb") -> Tokens:
    """The tokens of a text, with character offsets into it.

    Raises:
        ParseError: a string, quoted name or comment is not closed.
    """
    tokenizer = _TOKENIZERS[dialect](dialect=DIALECTS[dialect]())
    try:
        tokens = tokenizer.tokenize(sql)
    except TokenError as error:
        message = "a string, a quoted name or a comment is not closed"
        raise ParseError(message, sql, _open_span(sql, dialect)) from error
    return tuple(_plain_string(token, dialect) for token in tokens)


def span_between(first: Token, last: Token) -> Span:
    """The range from the first character of one token to the last of another."""
    return Span(first.start, last.end + 1)


def is_word(token: Token, *words: str) -> bool:
    """Whether the token is one of these upper-case words, and not a quoted name or string."""
    return token.token_type not in QUOTED and token.text.upper() in words


def _plain_string(token: Token, dialect: Dialect) -> Token:
    """DuckDB's E'..' is text, though sqlglot reads bytes."""
    if dialect == "duckdb" and token.token_type is TokenType.BYTE_STRING:
        return replace_token(token, TokenType.STRING, token.text)
    return token


def replace_token(token: Token, kind: TokenType, text: str, end: int | None = None) -> Token:
    """A token of another kind and text at the same position (or reaching to `end`)."""
    last = token.end if end is None else end
    return Token(kind, text, token.line, token.col, token.start, last, list(token.comments))


def _open_span(sql: str, dialect: Dialect) -> Span:
    """From the quote that is not closed: the start of the last token once it is closed."""
    for closing in ("'", '"', "`", "$$"):
        try:
            tokens = _TOKENIZERS[dialect](dialect=DIALECTS[dialect]()).tokenize(sql + closing)
        except TokenError:
            continue
        return Span(tokens[-1].start, len(sql))
    return Span(max(sql.rfind("/*"), 0), len(sql))
