"""Calls in a token stream under one name each; those of aggregates read a LIST.

`AI_AGG(DISTINCT x, i, max_tokens => 9 ORDER BY y) FILTER (WHERE f)` becomes
`__AI_AGG(ARRAY_AGG(DISTINCT x ORDER BY y) FILTER (WHERE f), i, max_tokens => 9)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import Token, TokenType, exp

from sqlax.compiler.sql.functions import AGGREGATES, CALL_PREFIX, compiled_function
from sqlax.compiler.sql.tokens import CLOSING, OPENING, Tokens, replace_token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlax.compiler.sql.call_sites import CallSite

_ARROWS: Final = frozenset({TokenType.FARROW, TokenType.COLON_EQ})

_MERGED: Final = frozenset(CALL_PREFIX + function for function in AGGREGATES)


@dataclass(frozen=True)
class _Operand:
    """The tokens `[begin:end]` that an aggregate reads, and `[order:closing]`, its ORDER BY."""

    begin: int
    end: int
    order: int
    closing: int


def merge_names(tokens: Tokens, sites: Sequence[CallSite]) -> Iterator[Token]:
    """The tokens with the name of each call merged into one, and operands of aggregates listed."""
    operands = [_operand(tokens, site) for site in sites if _is_aggregate(site)]
    return _Merger(
        tokens,
        {site.first: site for site in sites},
        {operand.begin: operand for operand in operands if operand.begin < operand.end},
        {operand.end: operand for operand in operands if operand.begin < operand.end},
        {operand.order: operand for operand in operands},
    ).merged(0, len(tokens))


def with_filters_inside(tree: exp.Expr) -> exp.Expr:
    """The tree with FILTER behind an aggregate's call moved to the LIST that it reads."""
    for node in list(tree.find_all(exp.Filter)):
        call = node.this
        if isinstance(call, exp.Anonymous) and call.name in _MERGED:
            listed = next(call.find_all(exp.ArrayAgg), None)
            if listed is not None:
                listed.replace(exp.Filter(this=listed.copy(), expression=node.expression.copy()))
                node.replace(call)
    return tree


def as_written(tree: exp.Expr) -> exp.Expr:
    """A copy of the tree with each aggregate as the user wrote it, not over a LIST."""
    whole = exp.Tuple(expressions=[tree.copy()])
    for call in list(whole.find_all(exp.Anonymous)):
        if call.name not in _MERGED or not call.expressions:
            continue
        listed, *rest = call.expressions
        condition = listed.expression if isinstance(listed, exp.Filter) else None
        inner = (listed.this if condition else listed).this
        order = inner.expressions if isinstance(inner, exp.Order) else []
        arguments = [inner.this if order else inner, *rest]
        if order:
            arguments[-1] = exp.Order(this=arguments[-1], expressions=order)
        written = exp.Anonymous(this=call.this, expressions=arguments)
        call.replace(exp.Filter(this=written, expression=condition) if condition else written)
    copied: exp.Expr = whole.expressions[0]
    return copied


def _is_aggregate(site: CallSite) -> bool:
    return compiled_function(site.name) in AGGREGATES


def _operand(tokens: Tokens, site: CallSite) -> _Operand:
    """Where the first argument and ORDER BY of a call stand; its name is no part of it."""
    begin, depth, end, order = site.opening + 1, 0, site.closing, site.closing
    if begin + 1 < site.closing and tokens[begin + 1].token_type in _ARROWS:
        begin += 2
    for place in range(begin, site.closing):
        kind = tokens[place].token_type
        depth += (kind in OPENING) - (kind in CLOSING)
        if depth == 0 and kind is TokenType.ORDER_BY:
            order = place
            break
        if depth == 0 and kind is TokenType.COMMA:
            end = min(end, place)
    return _Operand(begin, min(end, order), order, site.closing)


@dataclass(frozen=True)
class _Merger:
    """Goes through the tokens once; operands by the places where something is put in or moved."""

    tokens: Tokens
    sites: dict[int, CallSite]
    begins: dict[int, _Operand]
    ends: dict[int, _Operand]
    orders: dict[int, _Operand]

    def merged(self, start: int, stop: int) -> Iterator[Token]:
        place = start
        while place < stop:
            if place in self.ends and place > start:
                yield from self._end(self.ends[place])
            if place in self.orders and place > start:
                place = self.orders[place].closing
                if place >= stop:
                    return
            if place in self.begins:
                yield replace_token(self.tokens[place], TokenType.VAR, "ARRAY_AGG")
                yield replace_token(self.tokens[place], TokenType.L_PAREN, "(")
            site = self.sites.get(place)
            yield self.tokens[place] if site is None else self._name(site)
            place = place + 1 if site is None else site.opening

    def _end(self, operand: _Operand) -> Iterator[Token]:
        yield from self.merged(operand.order, operand.closing)
        yield replace_token(self.tokens[operand.end - 1], TokenType.R_PAREN, ")")

    def _name(self, site: CallSite) -> Token:
        name = f"{CALL_PREFIX}{compiled_function(site.name)}"
        last = self.tokens[site.opening - 1]
        return replace_token(self.tokens[site.first], TokenType.VAR, name, end=last.end)
