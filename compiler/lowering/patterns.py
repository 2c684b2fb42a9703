"""LIKE, ILIKE, regular expressions and length of texts that a model writes in the program.

Of texts that the host knows all functions are dictionary maps; see `maps`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from sqlglot import exp

from sqlax.compiler.lowering.environment import NotLowerableError, Typed
from sqlax.compiler.lowering.volatility import is_constant
from sqlax.compiler.plan.schema import Kind
from sqlax.errors import SqlaxError
from sqlax.runtime.constrain.byte_automaton import padded
from sqlax.runtime.constrain.expression import Expression
from sqlax.runtime.constrain.like import like
from sqlax.runtime.constrain.regex import regex_anywhere
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.relation import Column

if TYPE_CHECKING:
    from sqlax.compiler.lowering.expressions import Expressions


def _like(self: Expressions, node: exp.Expr) -> Typed:
    folds = isinstance(node, exp.ILike)
    return _matching(self, node, lambda text: like(text, ignore_case=folds))


def _escaped(self: Expressions, node: exp.Expr) -> Typed:
    if not isinstance(node.this, exp.Like | exp.ILike):
        raise self.refused(node)
    folds, escape = isinstance(node.this, exp.ILike), _text(self, node.expression, node)
    return _matching(self, node.this, lambda text: like(text, escape, ignore_case=folds))


def _regex(self: Expressions, node: exp.Expr) -> Typed:
    if node.args.get("flag"):
        raise self.refused(node)
    return _matching(self, node, regex_anywhere)


def _length(self: Expressions, node: exp.Expr) -> Typed:
    column = _written(self, node.this, node)
    return Typed(Column(self.environment.written.characters(column.data), column.valid), "BIGINT")


def _matching(self: Expressions, node: exp.Expr, read: Callable[[str], Expression]) -> Typed:
    """Whether written texts match a constant pattern."""
    column = _written(self, node.this, node)
    try:
        automaton = padded(byte_automaton(read(_text(self, node.expression, node))))
    except SqlaxError as error:
        raise NotLowerableError(str(error)) from error
    on_device = jax.tree.map(jnp.asarray, automaton)
    accepted = self.environment.written.matching(on_device, column.data)
    # `NOT LIKE` is a LIKE with this mark; `NOT x LIKE` has a NOT of its own.
    data = ~accepted if node.args.get("negate") else accepted
    return Typed(Column(data, column.valid), "BOOLEAN")


def _written(self: Expressions, operand: exp.Expr, node: exp.Expr) -> Column:
    name = operand.name if isinstance(operand, exp.Column) else ""
    if name not in self.schema or self.schema[name].kind is not Kind.WRITTEN:
        raise self.refused(node)
    return self.relation.columns[name]


def _text(self: Expressions, constant: exp.Expr, node: exp.Expr) -> str:
    if not is_constant(constant):
        raise self.refused(node)
    value = self.catalog.constant(constant).value[0].as_py()
    if not isinstance(value, str):
        raise self.refused(node)
    return value


PATTERNS: dict[type[exp.Expr], Callable[[Any, Any], Typed]] = {
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _escaped,
    exp.RegexpLike: _regex,
    exp.Length: _length,
}
