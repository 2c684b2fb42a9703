"""Sorts the arguments of one call by name, whatever family's spelling the call follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.constants import fields_of, wrong_kind
from sqlax.compiler.sql.flock import is_flock, read_flock
from sqlax.compiler.sql.functions import ARGUMENT_ALIASES, IGNORED_ARGUMENTS, Function, Signature
from sqlax.compiler.sql.place import Place
from sqlax.compiler.sql.prompt import literal_text, unwrap
from sqlax.compiler.sql.rewrite import ARGUMENT_SPANS

if TYPE_CHECKING:
    from sqlax.errors import BindError, Span


@dataclass(frozen=True)
class Argument:
    """One argument; `name` is None while it is positional."""

    name: str | None
    value: exp.Expr
    place: Place


Arguments = dict[str, Argument]

_MODIFIERS: Final = (exp.Distinct, exp.Order, exp.Star, exp.Alias, exp.Lambda)


def collect_arguments(node: exp.Anonymous, place: Place, signature: Signature) -> Arguments:
    """The arguments of a call by canonical name, those that have no effect among them.

    Raises:
        BindError: an argument that is unknown, missing, given twice or not an argument at all.
    """
    written = [_argument(value, where) for value, where in _written(node, place)]
    positional = [argument for argument in written if argument.name is None]
    named = [argument for argument in written if argument.name is not None]
    _check_order(written)
    positional = _known_form(positional, signature)
    _check_count(positional, signature)
    collected: Arguments = {}
    for argument in [*_numbered(positional, signature), *named]:
        for single in _spread(argument):
            _add(collected, single, signature)
    if "prompt" not in collected:
        raise place.error(f"{signature.function} needs a prompt")
    return collected


def _written(node: exp.Anonymous, place: Place) -> list[tuple[exp.Expr, Place]]:
    values: list[exp.Expr] = node.expressions
    spans: tuple[Span, ...] = node.meta.get(ARGUMENT_SPANS, ())
    if len(spans) != len(values):
        return [(value, place.of(value)) for value in values]
    return [(value, Place(place.sql, span)) for value, span in zip(values, spans, strict=True)]


def _argument(value: exp.Expr, place: Place) -> Argument:
    if isinstance(value, exp.Kwarg | exp.PropertyEQ):
        return Argument(value.this.name.lower(), value.expression, place)
    if isinstance(value, _MODIFIERS):
        raise place.error("expected an argument, as the function is no aggregate")
    return Argument(None, value, place)


def _check_order(written: list[Argument]) -> None:
    names_began = False
    for argument in written:
        if argument.name is None and names_began:
            raise argument.place.error("a positional argument cannot follow a named one")
        names_began = names_began or argument.name is not None


def _known_form(positional: list[Argument], signature: Signature) -> list[Argument]:
    """Flock's structs and ThalamusDB's pair as the one prompt that they mean."""
    if signature.function is not Function.IF or len(positional) < 2:
        return positional
    values = [argument.value for argument in positional]
    if is_flock(values):
        model, prompt = read_flock(values, [argument.place for argument in positional])
        named = [] if model is None else [replace(positional[0], name="model", value=model)]
        return [replace(positional[1], value=prompt), *named]
    if len(positional) == 2 and (pair := _instruction_first(values)) is not None:
        return [replace(positional[0], value=pair)]
    return positional


def _instruction_first(values: list[exp.Expr]) -> exp.Tuple | None:
    """`NLfilter(review, 'it is positive')` and `AI_FILTER('it is positive', review)`."""
    texts = [literal_text(unwrap(value)) for value in values]
    text = next((text for text in texts if text is not None), None)
    if text is None:
        return None
    data = values[1] if texts[0] is not None else values[0]
    gap = "" if text[-1:].isspace() or not text else " "
    return exp.Tuple(expressions=[exp.Literal.string(text + gap), data.copy()])


def _numbered(positional: list[Argument], signature: Signature) -> list[Argument]:
    """Positional arguments with their names; those that a form has named keep theirs."""
    names = iter(signature.positional)
    return [
        argument if argument.name else replace(argument, name=next(names))
        for argument in positional
    ]


def _check_count(positional: list[Argument], signature: Signature) -> None:
    most = len(signature.positional)
    unnamed = [argument for argument in positional if argument.name is None]
    if len(unnamed) > most:
        names = ", ".join(signature.positional)
        message = f"{signature.function} takes {most} without a name ({names}), not {len(unnamed)}"
        hint = "; put the parts of a prompt in brackets: ('Is this positive? ', review)"
        raise unnamed[most].place.error(message + hint)


def _spread(argument: Argument) -> list[Argument]:
    """The arguments in Snowflake's third one, `{'task_description': 'topic'}`, one by one."""
    if argument.name != "options":
        return [argument]
    fields = fields_of(argument.value)
    if fields is None:
        raise wrong_kind(argument.value, argument.place, "options", "a struct such as {'a': 1}")
    return [replace(argument, name=name, value=value) for name, value in fields.items()]


def _add(collected: Arguments, argument: Argument, signature: Signature) -> None:
    written = argument.name or ""
    name = ARGUMENT_ALIASES.get(written, written)
    if name not in (signature.arguments | IGNORED_ARGUMENTS | {"endpoint"}) - {"options"}:
        raise _unknown(argument, signature)
    if name in collected:
        raise argument.place.error(f"{name} is given twice")
    collected[name] = replace(argument, name=name)


def _unknown(argument: Argument, signature: Signature) -> BindError:
    known = sorted(signature.arguments - {"options"})
    close = get_close_matches(argument.name or "", known, n=2, cutoff=0.6)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
    message = f"{signature.function} has no argument {argument.name}; {hint}"
    return argument.place.error(message)
