"""What a generated answer may be, and what SQL type it gets: read from a call's arguments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.constants import fields_of, read_items, read_text, wrong_kind
from sqlax.errors import BindError, UnsupportedError
from sqlax.runtime.constrain.expression import Expression, choice
from sqlax.runtime.constrain.json_schema import json_expression
from sqlax.runtime.constrain.regex import regex
from sqlax.runtime.constrain.sql_type import (
    ListOf,
    Scalar,
    SqlType,
    Struct,
    parse_columns,
    parse_type,
)
from sqlax.runtime.constrain.text import text as any_text
from sqlax.runtime.constrain.type_schema import schema_of_type, text_of_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlax.compiler.sql.arguments import Argument
    from sqlax.compiler.sql.options import Options


class Kind(StrEnum):
    """What the text of a form says."""

    ANY = auto()
    """Nothing: every text is an answer."""
    TYPE = auto()
    """A SQL type, whose values DuckDB reads from their text."""
    JSON = auto()
    """A JSON schema."""
    REGEX = auto()
    """A regular expression that the whole answer matches."""
    CHOICES = auto()
    """A JSON list of the texts that are answers."""


@dataclass(frozen=True)
class Form:
    """What an answer may be; equal forms allow the same answers.

    Attributes:
        kind: what `text` says.
        text: the constraint.
        type: the answer's SQL type.
        is_json: whether the answer is JSON, which is read into its type.
    """

    kind: Kind = Kind.ANY
    text: str = ""
    type: str = "VARCHAR"
    is_json: bool = False

    @property
    def is_free(self) -> bool:
        """Whether every text is an answer."""
        return self.kind is Kind.ANY or (
            self.kind is Kind.TYPE and parse_type(self.text) == Scalar("varchar")
        )

    def expression(self) -> Expression:
        """The texts that are answers.

        Raises:
            BindError: the constraint is not well-formed, or nothing fits it.
            UnsupportedError: it names something that cannot be generated.
        """
        match self.kind:
            case Kind.TYPE:
                return text_of_type(parse_type(self.text))
            case Kind.JSON:
                return json_expression(self.text)
            case Kind.REGEX:
                return regex(self.text)
            case Kind.CHOICES:
                return choice(*json.loads(self.text))
        return any_text()

    def value(self, answer: exp.Expr) -> exp.Expr:
        """The answer's text as a value of its SQL type."""
        if self.type == "VARCHAR":
            return answer
        kind = exp.DataType.build(self.type, dialect="duckdb")
        return exp.cast(exp.cast(answer, "JSON") if self.is_json else answer, kind)


ANY: Final = Form()


def read_form(options: Options) -> Form:
    """The form that `return_type`, `schema`, `pattern` or `choices` asks for.

    Raises:
        BindError: more than one of them, or one that is not well-formed.
        UnsupportedError: one that cannot be generated.
    """
    given = [(name, options.given(name)) for name in _READERS]
    found = [(name, argument) for name, argument in given if argument is not None]
    if len(found) > 1:
        names = " and ".join(name for name, _ in found)
        raise found[1][1].place.error(f"an answer has one form: give {names} alone")
    for name, argument in found:
        return _checked(_READERS[name], argument)
    return ANY


def read_fields(argument: Argument) -> tuple[str, Form]:
    """What `{'price': 'DOUBLE', 'tone': 'how does the writer sound?'}` asks for, and its form.

    A field is a SQL type, or a question that is answered with a text. Any of them may be NULL.

    Raises:
        BindError: it is no such struct of constant texts.
    """
    fields = fields_of(argument.value)
    if not fields:
        raise wrong_kind(argument.value, argument.place, "fields", "a struct such as {'a': 'TYPE'}")
    said = {n: read_text(value, argument.place, f"the field {n}") for n, value in fields.items()}
    types = {name: _type_or_none(text) for name, text in said.items()}
    columns = Struct(tuple((name, types[name] or Scalar("varchar")) for name in said))
    names = (f'"{name}" {said[name] if types[name] else "VARCHAR"}' for name in said)
    asked = (f"{n} ({said[n].lower() if types[n] else said[n]})" for n in said)
    form = _checked(
        lambda _: form_of_type(columns, f"STRUCT({', '.join(names)})", nullable=True), argument
    )
    return ", ".join(asked), form


def _type_or_none(text: str) -> SqlType | None:
    try:
        return parse_type(text)
    except BindError:
        return None


def form_of_type(sql_type: SqlType, written: str, *, nullable: bool = False) -> Form:
    """The form of a type's values; lists and structs are written as JSON.

    Args:
        sql_type: the type.
        written: its text.
        nullable: let every scalar inside be null.
    """
    if not isinstance(sql_type, ListOf | Struct):
        return Form(Kind.TYPE, written, written)
    schema = json.dumps(schema_of_type(sql_type, nullable=nullable), ensure_ascii=False)
    return Form(Kind.JSON, schema, written, is_json=True)


def _checked(read: Callable[[Argument], Form], argument: Argument) -> Form:
    """The form, with its faults pointing at the argument."""
    try:
        form = read(argument)
        form.expression()
    except (BindError, UnsupportedError) as error:
        if error.span is not None:
            raise
        raise type(error)(error.reason, argument.place.sql, argument.place.span) from error
    return form


def _return_type(argument: Argument) -> Form:
    written = read_text(argument.value, argument.place, "return_type")
    return form_of_type(parse_type(written), written)


def _schema(argument: Argument) -> Form:
    written = read_text(argument.value, argument.place, "schema").strip()
    if written.startswith("{"):
        return Form(Kind.JSON, written)
    return form_of_type(parse_columns(written), f"STRUCT({written})")


def _pattern(argument: Argument) -> Form:
    return Form(Kind.REGEX, read_text(argument.value, argument.place, "pattern"))


def _choices(argument: Argument) -> Form:
    items = read_items(argument.value, argument.place, "choices")
    texts = [read_text(item, argument.place, "a choice") for item in items]
    if not texts:
        raise argument.place.error("choices is empty: give at least one")
    return Form(Kind.CHOICES, json.dumps(texts, ensure_ascii=False))


_READERS: Final[dict[str, Callable[[Argument], Form]]] = {
    "return_type": _return_type,
    "schema": _schema,
    "pattern": _pattern,
    "choices": _choices,
}
