"""The one form of a prompt: a sequence of literal texts and expressions over the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.template import Slot, column_of, fill_numbered, split_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sqlax.compiler.sql.place import Place


@dataclass(frozen=True)
class Literal:
    """A constant part of a prompt; never empty."""

    text: str


@dataclass(frozen=True, eq=False)
class Value:
    """A part of a prompt that a row fills in, cast to VARCHAR; a NULL makes the answer NULL.

    Two values are equal if their SQL is, whatever the case and quotes of their names.
    """

    expression: exp.Expr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.sql == other.sql

    def __hash__(self) -> int:
        return hash(self.sql)

    @property
    def sql(self) -> str:
        """The expression as text that does not depend on its spelling."""
        return canonical_sql(self.expression)


Part = Literal | Value
Prompt = tuple[Part, ...]

_SEQUENCES: Final = (exp.Tuple, exp.Struct)
_TEXTS: Final = (exp.RawString, exp.National)


def read_prompt(node: exp.Expr, place: Place) -> Prompt:
    """The parts of a prompt in any of its forms: adjacent literals merged, empty ones dropped.

    A template is read as such only if it is all there is, or PROMPT's first argument: what
    stands in braces beside other parts is text, and so is whatever a row holds.

    Raises:
        BindError: a template with a brace too many or a slot that nothing fills.
    """
    inner = unwrap(node)
    text = literal_text(inner)
    if text is not None:
        return _normal(_named(text, place.of(inner)))
    if isinstance(inner, exp.Anonymous) and inner.name.upper() == "PROMPT":
        return _normal(_numbered(inner, place))
    return read_parts(inner, place)


def read_parts(node: exp.Expr, place: Place) -> Prompt:
    """The parts of an expression in which braces are text: no template is read."""
    return _normal(_flatten(node, place))


def literal_text(node: exp.Expr) -> str | None:
    """The text of a string literal of any notation, E'...' too; None for all else."""
    is_escaped = isinstance(node, exp.ByteString) and not node.args.get("is_bytes")
    is_quoted = isinstance(node, exp.Literal) and node.is_string
    return str(node.this) if is_escaped or is_quoted or isinstance(node, _TEXTS) else None


def unwrap(node: exp.Expr) -> exp.Expr:
    """The expression within brackets around it."""
    while isinstance(node, exp.Paren):
        node = node.this
    return node


def as_tuple(prompt: Prompt) -> exp.Tuple:
    """The prompt as one SQL tuple, which reads back as the same prompt.

    Put in place of a template, it shows the template's columns to whatever walks the tree.
    """
    return exp.Tuple(expressions=[_as_expression(part) for part in prompt])


def quoting_hint(column: exp.Column) -> str:
    """What to add to an unknown-column error where a text may have been meant."""
    if not column.this.args.get("quoted"):
        return ""
    return "; double quotes name a column: write '...', or choose dialect='bigquery'"


def canonical_sql(expression: exp.Expr) -> str:
    """SQL of an expression: names quoted and in lower case, as DuckDB compares them."""
    plain = expression.copy()
    for identifier in plain.find_all(exp.Identifier):
        identifier.set("this", identifier.name.lower())
        identifier.set("quoted", True)
    return plain.sql(dialect="duckdb", comments=False, normalize_functions="upper")


def _named(text: str, place: Place) -> Iterator[Part]:
    for piece in split_template(text, place):
        yield Value(column_of(piece)) if isinstance(piece, Slot) else Literal(piece)


def _numbered(call: exp.Anonymous, place: Place) -> Iterator[Part]:
    if not call.expressions:
        raise place.of(call).error("PROMPT needs a template: PROMPT('Is {0} positive?', review)")
    template, *arguments = call.expressions
    text = literal_text(unwrap(template))
    if text is None:
        raise place.of(template).error("PROMPT's template must be one string literal")
    if not arguments:
        yield from _named(text, place.of(template))
        return
    pieces = split_template(text, place.of(template))
    for piece in fill_numbered(pieces, arguments, place.of):
        yield from [Literal(piece)] if isinstance(piece, str) else _flatten(piece, place)


def _flatten(node: exp.Expr, place: Place) -> Iterator[Part]:
    """The parts of a tuple, of `a || b` and of CONCAT, however nested."""
    inner = unwrap(node)
    text = _constant_text(inner)
    if text is not None:
        yield Literal(text)
        return
    operands = _operands(inner)
    if operands is None:
        _check_scalar(inner, place)
        yield Value(inner)
        return
    for operand in operands:
        yield from _flatten(operand, place)


def _operands(node: exp.Expr) -> list[exp.Expr] | None:
    if isinstance(node, exp.DPipe):
        return list(node.flatten())
    if isinstance(node, exp.PropertyEQ | exp.Alias):
        return [node.expression if isinstance(node, exp.PropertyEQ) else node.this]
    named_row = isinstance(node, exp.Anonymous) and node.name.upper() == "ROW"
    if named_row or isinstance(node, (*_SEQUENCES, exp.Concat)):
        return list(node.expressions)
    return None


def _constant_text(node: exp.Expr) -> str | None:
    """A string's text or an integer's digits: what CAST(.. AS VARCHAR) would give."""
    if isinstance(node, exp.Literal) and not node.is_string and node.name.isdecimal():
        return str(int(node.name))
    return literal_text(node)


def _check_scalar(node: exp.Expr, place: Place) -> None:
    if isinstance(node, exp.Star | exp.Distinct | exp.Order | exp.Lambda):
        raise place.of(node).error("a prompt is made of texts and scalar expressions")


def _normal(parts: Iterable[Part]) -> Prompt:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, Literal) and isinstance(last, Literal):
            merged[-1] = Literal(last.text + part.text)
        elif part != Literal(""):
            merged.append(part)
    return tuple(merged)


def _as_expression(part: Part) -> exp.Expr:
    if isinstance(part, Literal):
        return exp.Literal.string(part.text)
    return part.expression.copy()
