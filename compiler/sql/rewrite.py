"""SQL text to a tree in which each semantic call is one anonymous function, `__AI_IF(...)`.

sqlglot has typed nodes of its own for some `AI_*` names, with other arguments, and reads
BigQuery's `AI.IF` as IF. So the names are replaced in the token stream; every token keeps its
place in the original text, which is what errors underline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeGuard

from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError as SqlglotParseError

from sqlax.compiler.sql.aggregate_sites import merge_names, with_filters_inside
from sqlax.compiler.sql.call_sites import CallSite, find_sites
from sqlax.compiler.sql.functions import (
    CALL_PREFIX,
    close_functions,
    compiled_function,
    describe_functions,
    is_later_function,
)
from sqlax.compiler.sql.tokens import DIALECTS, Dialect, Tokens, replace_token, tokenize
from sqlax.errors import BindError, ParseError, Span, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

CALL_SPAN: Final = "call_span"
"""Metadata of a call: the range of the whole call, its closing bracket included."""

ARGUMENT_SPANS: Final = "argument_spans"
"""Metadata of a call: the range of each argument."""

_NUMBERED: Final = "__parameter_"

WRITTEN: Final = "written"
"""Metadata of a call: its name as the user wrote it."""


def parse_query(
    sql: str,
    dialect: Dialect = "duckdb",
    span: Span | None = None,
    foreign: Collection[str] = (),
) -> exp.Expr:
    """The tree of one query, with each semantic call as `exp.Anonymous` named `__AI_IF` or alike.

    Args:
        sql: the whole text; positions in the tree count from its start.
        dialect: whose lexical rules and grammar the text follows.
        span: the part of the text that is the query; the whole text if absent.
        foreign: names of functions that the database defines itself.

    Raises:
        ParseError: the text is not one statement of this dialect.
        BindError: a name looks semantic and no such function exists.
        UnsupportedError: a semantic function that cannot be compiled yet.
    """
    tokens = _within(tokenize(sql, dialect), span)
    sites = find_sites(tokens, foreign)
    for site in sites:
        _check_known(site, tokens, sql)
    merged = _number_parameters(merge_names(tokens, sites))
    tree = with_filters_inside(_parse(list(merged), sql, dialect).transform(_to_placeholder))
    _record_places(tree, sites, tokens)
    return tree


def contains_semantic_call(
    sql: str, dialect: Dialect = "duckdb", foreign: Collection[str] = ()
) -> bool:
    """Whether a text calls a semantic function, outside strings, comments and quoted names."""
    return bool(find_sites(tokenize(sql, dialect), foreign))


def find_calls(tree: exp.Expr) -> list[exp.Anonymous]:
    """The semantic calls of a tree, outer ones before those within them."""
    return [node for node in tree.walk(bfs=True) if is_call(node)]


def is_call(node: exp.Expr) -> TypeGuard[exp.Anonymous]:
    """Whether a node is a semantic call of a rewritten tree."""
    if not isinstance(node, exp.Anonymous) or not node.name.startswith(CALL_PREFIX):
        return False
    return compiled_function(node.name.removeprefix(CALL_PREFIX)) is not None


def _within(tokens: Tokens, span: Span | None) -> Tokens:
    if span is None:
        return tokens
    return tuple(t for t in tokens if span.start <= t.start and t.end < span.end)


def _check_known(site: CallSite, tokens: Tokens, sql: str) -> None:
    if compiled_function(site.name) is not None:
        return
    name = site.written(tokens)
    if is_later_function(site.name):
        message = f"{name} cannot be compiled yet; there are {describe_functions()}"
        raise UnsupportedError(message, sql, site.name_span(tokens))
    close = close_functions(site.name)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {describe_functions()}"
    raise BindError(f"there is no function {name}; {hint}", sql, site.name_span(tokens))


def _number_parameters(tokens: Iterator[Token]) -> Iterator[Token]:
    """The tokens with each `?` named by its place in the text, from 1."""
    number = 0
    for token in tokens:
        if token.token_type is TokenType.PLACEHOLDER and token.text == "?":
            number += 1
            yield replace_token(token, TokenType.VAR, f"{_NUMBERED}{number}")
        else:
            yield token


def _to_placeholder(node: exp.Expr) -> exp.Expr:
    """A numbered parameter, or one that a dialect spells `@name`, as DuckDB's `$name`."""
    if isinstance(node, exp.Column) and node.name.startswith(_NUMBERED):
        return exp.Placeholder(this=node.name.removeprefix(_NUMBERED))
    return exp.Placeholder(this=node.name) if isinstance(node, exp.Parameter) else node


def _parse(tokens: list[Token], sql: str, dialect: Dialect) -> exp.Expr:
    try:
        trees = DIALECTS[dialect]().parser().parse(tokens, sql)
    except SqlglotParseError as error:
        raise _parse_error(error, sql) from error
    except RecursionError as error:
        raise ParseError("the query is nested too deeply", sql) from error
    found = [tree for tree in trees if tree is not None]
    if len(found) != 1:
        raise ParseError(f"expected one statement, found {len(found)}", sql)
    if isinstance(found[0], exp.Command):
        raise ParseError("this statement is not a query", sql)
    return found[0]


def _parse_error(error: SqlglotParseError, sql: str) -> ParseError:
    """Our error at the same place; sqlglot says the line and the column of the last character."""
    if not error.errors:
        return ParseError(str(error), sql)
    first = error.errors[0]
    before = sql.split("\n")[: first["line"] - 1]
    end = sum(len(line) + 1 for line in before) + first["col"]
    start = max(end - len(first["highlight"] or ""), 0)
    return ParseError(first["description"], sql, Span(start, end))


def _record_places(tree: exp.Expr, sites: list[CallSite], tokens: Tokens) -> None:
    by_start = {tokens[site.first].start: site for site in sites}
    for node in find_calls(tree):
        site = by_start.get(node.meta.get("start", -1))
        if site is not None:
            node.meta[CALL_SPAN] = site.span(tokens)
            node.meta[ARGUMENT_SPANS] = site.argument_spans(tokens)
            node.meta[WRITTEN] = site.written(tokens)
