"""Splits a text into statements and finds, in each, the query that calls semantic functions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from sqlglot import TokenType

from sqlax.compiler.sql.call_sites import find_sites, split_top_level
from sqlax.compiler.sql.functions import may_hold_call
from sqlax.compiler.sql.tokens import (
    CLOSING,
    OPENING,
    Dialect,
    Tokens,
    is_word,
    span_between,
    tokenize,
)
from sqlax.errors import Span, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Collection


class Kind(StrEnum):
    """What is to be done with a statement."""

    DUCKDB = "duckdb"
    """No semantic call: DuckDB runs the text as it is."""

    QUERY = "query"
    EXPLAIN = "explain"
    CREATE = "create table as"
    INSERT = "insert"
    COPY = "copy"


@dataclass(frozen=True)
class Statement:
    """One statement of `sql`, and the part of it that is a semantic query, if any.

    For CREATE, INSERT and COPY the query runs first; `with_query` then puts DuckDB's name for its
    result in its place.
    """

    kind: Kind
    sql: str
    span: Span
    query_span: Span | None = None
    analyze: bool = False
    verbose: bool = False

    @property
    def text(self) -> str:
        """The statement without what stands around it."""
        return self.sql[self.span.start : self.span.end]

    @property
    def is_query(self) -> bool:
        """Whether the statement is nothing but a query, semantic or not."""
        if self.kind is not Kind.DUCKDB:
            return self.kind is Kind.QUERY
        pieces = split_top_level(tokenize(self.text), TokenType.SEMICOLON)
        tokens = [piece for piece in pieces if piece]
        return len(tokens) == 1 and tokens[0][0].token_type in _QUERY_STARTS

    @property
    def query(self) -> str:
        """The semantic query; empty if the statement is DuckDB's."""
        span = self.query_span
        return "" if span is None else self.sql[span.start : span.end]

    def with_query(self, replacement: str) -> str:
        """The statement with another text in place of its query."""
        span = self.query_span
        assert span is not None, "only a statement with a query has one to replace"
        before = self.sql[self.span.start : span.start]
        return f"{before}{replacement}{self.sql[span.end : self.span.end]}"


_QUERY_STARTS: Final = frozenset(
    {TokenType.SELECT, TokenType.WITH, TokenType.FROM, TokenType.VALUES, TokenType.L_PAREN}
)
_CHANGES: Final = frozenset({TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE, TokenType.MERGE})


def read_statements(
    sql: str, dialect: Dialect = "duckdb", foreign: Collection[str] = ()
) -> tuple[Statement, ...]:
    """The statements of a text; one for all of it if nothing in it can be a semantic call.

    Raises:
        ParseError: a string, quoted name or comment is not closed.
        UnsupportedError: a semantic call in a statement that cannot run one, such as UPDATE.
    """
    whole = Statement(Kind.DUCKDB, sql, Span(0, len(sql)))
    if not may_hold_call(sql):
        return (whole,)
    pieces = split_top_level(tokenize(sql, dialect), TokenType.SEMICOLON)
    return tuple(_read_one(piece, sql, foreign) for piece in pieces if piece) or (whole,)


def _read_one(tokens: Tokens, sql: str, foreign: Collection[str]) -> Statement:
    sites = find_sites(tokens, foreign)
    if not sites:
        return Statement(Kind.DUCKDB, sql, span_between(tokens[0], tokens[-1]))
    statement = _semantic_statement(tokens, sql)
    for site in sites:
        if not _covers(statement.query_span, site.span(tokens)):
            name = tokens[0].text.upper()
            message = f"{name} cannot run a semantic function here; use CREATE TABLE .. AS SELECT"
            raise UnsupportedError(message, sql, site.span(tokens))
    return statement


def _semantic_statement(tokens: Tokens, sql: str) -> Statement:
    span = span_between(tokens[0], tokens[-1])
    first = tokens[0].token_type
    if is_word(tokens[0], "EXPLAIN"):
        return _explain(tokens, sql)
    if first is TokenType.CREATE:
        return Statement(Kind.CREATE, sql, span, _created_query(tokens))
    if first is TokenType.INSERT:
        return Statement(Kind.INSERT, sql, span, _inserted_query(tokens))
    if first is TokenType.COPY:
        return Statement(Kind.COPY, sql, span, _copied_query(tokens))
    return Statement(Kind.QUERY, sql, span, _plain_query(tokens))


def _explain(tokens: Tokens, sql: str) -> Statement:
    """EXPLAIN [ANALYZE] [VERBOSE] query, the two words in either order."""
    words = set()
    rest = tokens[1:]
    while rest and is_word(rest[0], "ANALYZE", "VERBOSE"):
        words.add(rest[0].text.upper())
        rest = rest[1:]
    return Statement(
        Kind.EXPLAIN,
        sql,
        span_between(tokens[0], tokens[-1]),
        _plain_query(rest),
        analyze="ANALYZE" in words,
        verbose="VERBOSE" in words,
    )


def _plain_query(tokens: Tokens) -> Span | None:
    """The whole of the tokens if they are a query; None for UPDATE, DESCRIBE and the like."""
    if not tokens or tokens[0].token_type not in _QUERY_STARTS:
        return None
    if any(token.token_type in _CHANGES for token in _top_level(tokens)):
        return None  # WITH .. INSERT
    return span_between(tokens[0], tokens[-1])


def _created_query(tokens: Tokens) -> Span | None:
    """What follows AS in CREATE TABLE, without WITH [NO] DATA; None for views and macros."""
    top = _top_level(tokens)
    position = next((i for i, t in enumerate(top) if t.token_type is TokenType.ALIAS), None)
    if position is None or TokenType.TABLE not in [t.token_type for t in top[:position]]:
        return None
    rest = tuple(token for token in tokens if token.start > top[position].start)
    return _plain_query(rest[: len(rest) - _no_data_clause(rest)])


def _no_data_clause(tokens: Tokens) -> int:
    """How many tokens at the end are WITH DATA or WITH NO DATA."""
    words = [token.text.upper() for token in tokens[-3:]]
    if words == ["WITH", "NO", "DATA"]:
        return 3
    return 2 if words[-2:] == ["WITH", "DATA"] else 0


def _inserted_query(tokens: Tokens) -> Span | None:
    """From the first word of the query to ON CONFLICT or RETURNING."""
    starts = (i for i in range(1, len(tokens)) if _starts_inserted(tokens, i))
    start = next(starts, None)
    if start is None:
        return None
    top = _top_level(tokens[start:])
    ends = [t.start for i, t in enumerate(top) if _ends_inserted(top, i)]
    rest = tokens[start:]
    return _plain_query(tuple(t for t in rest if not ends or t.start < ends[0]))


def _starts_inserted(tokens: Tokens, index: int) -> bool:
    kind = tokens[index].token_type
    if kind is not TokenType.L_PAREN:
        return kind in _QUERY_STARTS
    return index + 1 < len(tokens) and tokens[index + 1].token_type in _QUERY_STARTS


def _ends_inserted(top: Tokens, index: int) -> bool:
    if top[index].token_type is TokenType.RETURNING:
        return True
    on = top[index].token_type is TokenType.ON
    return on and index + 1 < len(top) and is_word(top[index + 1], "CONFLICT")


def _copied_query(tokens: Tokens) -> Span | None:
    """What stands in the brackets of COPY (query) TO."""
    if len(tokens) < 3 or tokens[1].token_type is not TokenType.L_PAREN:
        return None
    inside = tokens[2 : _matching(tokens, 1)]
    return _plain_query(inside)


def _matching(tokens: Tokens, opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        kind = tokens[index].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth == 0:
            return index
    return len(tokens)


def _top_level(tokens: Tokens) -> Tokens:
    """The tokens that stand outside all brackets, brackets left out."""
    outside = []
    depth = 0
    for token in tokens:
        depth -= token.token_type in CLOSING
        if depth == 0 and token.token_type not in OPENING | CLOSING:
            outside.append(token)
        depth += token.token_type in OPENING
    return tuple(outside)


def _covers(outer: Span | None, inner: Span) -> bool:
    return outer is not None and outer.start <= inner.start and inner.end <= outer.end
