"""Flock's way to ask: `llm_filter({'model_name': 'm'}, {'prompt': '..'}, {'review': text})`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from sqlax.compiler.sql.constants import fields_of, read_items, read_text

if TYPE_CHECKING:
    from sqlax.compiler.sql.place import Place

_MODEL_FIELDS: Final = frozenset({"model_name", "provider", "tuple_format", "batch_size"})
_PROMPT_FIELDS: Final = frozenset({"prompt", "context_columns"})
_COLUMN_FIELDS: Final = frozenset({"data", "name", "type"})


def is_flock(values: list[exp.Expr]) -> bool:
    """Whether these positional arguments are Flock's structs: the model, then the prompt."""
    structs = [fields_of(value) for value in values]
    return len(structs) in (2, 3) and all(structs) and "model_name" in (structs[0] or {})


def read_flock(values: list[exp.Expr], places: list[Place]) -> tuple[exp.Expr | None, exp.Expr]:
    """The model's name (None for Flock's default) and the prompt as a tuple.

    The prompt's text comes first, then each column, after its name if it was given one.

    Raises:
        BindError: a field is unknown or not what it should be.
        UnsupportedError: a stored prompt, or a column that is not text.
    """
    model = _fields(values[0], places[0], _MODEL_FIELDS)["model_name"]
    prompt = _fields(values[1], places[1], _PROMPT_FIELDS | {"prompt_name"})
    if "prompt" not in prompt:
        raise places[1].unsupported("only a prompt in the query itself: {'prompt': '...'}")
    text = read_text(prompt["prompt"], places[1], "prompt")
    columns = _context_columns(prompt, places[1])
    if len(values) == 3:
        columns += list((fields_of(values[2]) or {}).items())
    is_default = read_text(model, places[0], "model_name") == "default"
    return None if is_default else model, _as_tuple(text, columns)


def _context_columns(
    prompt: dict[str, exp.Expr], place: Place
) -> list[tuple[str | None, exp.Expr]]:
    if "context_columns" not in prompt:
        return []
    return [
        _context_column(item, place)
        for item in read_items(prompt["context_columns"], place, "context_columns")
    ]


def _context_column(item: exp.Expr, place: Place) -> tuple[str | None, exp.Expr]:
    fields = _fields(item, place, _COLUMN_FIELDS)
    if "data" not in fields:
        raise place.of(item).error("a context column needs its data: {'data': review}")
    if "type" in fields and read_text(fields["type"], place, "type") not in ("tabular", "text"):
        raise place.of(item).unsupported("only context columns that hold text")
    name = read_text(fields["name"], place, "name") if "name" in fields else None
    return name, fields["data"]


def _as_tuple(text: str, columns: list[tuple[str | None, exp.Expr]]) -> exp.Tuple:
    """The text, a space if it does not end in one, and a line for each column."""
    parts: list[exp.Expr] = [exp.Literal.string(text)]
    gap = "" if text[-1:].isspace() or not text else " "
    for name, column in columns:
        label = gap if name is None else f"{gap}{name}: "
        parts += [exp.Literal.string(label), column.copy()]
        gap = "\n"
    return exp.Tuple(expressions=parts)


def _fields(node: exp.Expr, place: Place, known: frozenset[str]) -> dict[str, exp.Expr]:
    fields = fields_of(node)
    if fields is None:
        raise place.of(node).error("expected a struct such as {'data': review}")
    unknown = next((name for name in fields if name not in known), None)
    if unknown is not None:
        raise place.error(f"no field {unknown} here; there are {', '.join(sorted(known))}")
    return fields
