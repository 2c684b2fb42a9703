"""JSON schemas as expressions: values without optional white space, fields in declared order."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from sqlax.errors import BindError
from sqlax.runtime.constrain.expression import (
    Chain,
    Choice,
    Expression,
    Literal,
    Repeat,
    chain,
    choice,
)
from sqlax.runtime.constrain.json_string import FORMATS, json_string
from sqlax.runtime.constrain.number_schema import integer, number
from sqlax.runtime.constrain.regex import regex_anywhere
from sqlax.runtime.constrain.schema_node import SchemaNode
from sqlax.runtime.constrain.text import text


def json_expression(schema: str | Mapping[str, Any]) -> Expression:
    """The values of a JSON schema, each in one spelling, as texts.

    Known are `type` (one or several), `enum`, `const`, `anyOf`; `properties` and `required`, where
    fields that are not declared are never there; `items`, `minItems`, `maxItems`; `minimum`,
    `maximum` and their exclusive forms, `multipleOf` where that is a power of ten; `minLength`,
    `maxLength`, `pattern` (RE2, found anywhere), `format`.

    Args:
        schema: the schema, or its text.

    Raises:
        BindError: it is no schema, or no value can fit it.
        UnsupportedError: a keyword that is not kept to; the message names it and its place.
    """
    if isinstance(schema, str):
        try:
            schema = json.loads(schema, parse_float=Decimal)
        except ValueError as error:
            raise BindError(f"the JSON schema is no JSON: {error}") from error
    return _value(SchemaNode(schema, "$"))


def _value(node: SchemaNode) -> Expression:
    expression = _kind(node)(node)
    node.end()
    return expression


def _kind(node: SchemaNode) -> Callable[[SchemaNode], Expression]:
    for keyword, read in (("const", _const), ("enum", _enum), ("anyOf", _any_of)):
        if node.has(keyword):
            return read
    kind = node.take("type") or _implied(node)
    if isinstance(kind, list):
        return lambda node: _several(node, kind)
    if kind not in _TYPES:
        raise node.wrong(f"{kind!r} is no type; there are {', '.join(_TYPES)}")
    return _TYPES[kind]


def _implied(node: SchemaNode) -> str:
    for keyword, kind in (("properties", "object"), ("items", "array")):
        if node.has(keyword):
            return kind
    node.end()
    raise node.wrong("type is missing")


def _const(node: SchemaNode) -> Expression:
    node.take("type")
    return Literal(_spelled(node.take("const")))


def _enum(node: SchemaNode) -> Expression:
    node.take("type")
    values = node.take("enum")
    if not isinstance(values, list) or not values:
        raise node.wrong("enum is a list of values, and not empty")
    return choice(*map(_spelled, values))


def _any_of(node: SchemaNode) -> Expression:
    parts = node.take("anyOf")
    if not isinstance(parts, list) or not parts:
        raise node.wrong("anyOf is a list of schemas, and not empty")
    return Choice(
        tuple(_value(SchemaNode(p, f"{node.path}.anyOf[{n}]")) for n, p in enumerate(parts))
    )


def _several(node: SchemaNode, kinds: list[Any]) -> Expression:
    """Values of several types; a keyword is of the types that know it."""
    unknown = [kind for kind in kinds if kind not in _TYPES]
    if unknown or not kinds:
        raise node.wrong(f"the types are {kinds!r}; there are {', '.join(_TYPES)}")
    apart = [kind for kind in kinds if kind != "integer" or "number" not in kinds]
    return Choice(tuple(_TYPES[kind](node) for kind in apart))


def _object(node: SchemaNode) -> Expression:
    """Declared fields in order; the optional ones may be left out.

    The first field that is there has no comma before it: one branch for each field that may be it.
    """
    properties = node.take("properties", {})
    required = node.take("required", [])
    node.take("additionalProperties")
    missing = [name for name in required if name not in properties]
    if missing:
        raise node.wrong(f"the required field {missing[0]!r} is no property")
    fields = [
        chain(_spelled(name), ":", _value(SchemaNode(schema, f"{node.path}.{name}")))
        for name, schema in properties.items()
    ]
    needed = [name in required for name in properties]
    following = [
        Repeat(chain(",", field), int(need), 1) for field, need in zip(fields, needed, strict=True)
    ]
    firsts = needed.index(True) + 1 if any(needed) else len(fields)
    bodies = [Chain((fields[n], *following[n + 1 :])) for n in range(firsts)]
    nothing = [] if any(needed) else [Literal("")]
    return chain("{", Choice((*bodies, *nothing)), "}")


def _array(node: SchemaNode) -> Expression:
    if not node.has("items"):
        raise node.wrong("an array needs items")
    item = _value(SchemaNode(node.take("items"), f"{node.path}[]"))
    least = node.take_count("minItems", 0) or 0
    most = node.take_count("maxItems", None)
    if most is not None and most < least:
        raise node.wrong(f"maxItems is {most}, less than minItems")
    if most == 0:
        return Literal("[]")
    more = Repeat(chain(",", item), max(least - 1, 0), None if most is None else most - 1)
    return chain("[", Repeat(chain(item, more), min(least, 1), 1), "]")


def _string(node: SchemaNode) -> Expression:
    least = node.take_count("minLength", 0) or 0
    most = node.take_count("maxLength", None)
    if most is not None and most < least:
        raise node.wrong(f"maxLength is {most}, less than minLength")
    pattern, name = node.take("pattern"), node.take("format")
    if name is None:
        within = None if pattern is None else regex_anywhere(pattern)
    elif name in FORMATS and pattern is None:
        within = FORMATS[name]()
    else:
        raise node.wrong(f"the format is {name!r}; there are {', '.join(FORMATS)}, without pattern")
    return json_string(text(least, most, within))


def _boolean(node: SchemaNode) -> Expression:
    return choice("true", "false")


def _null(node: SchemaNode) -> Expression:
    return Literal("null")


_TYPES: dict[str, Callable[[SchemaNode], Expression]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": integer,
    "number": number,
    "boolean": _boolean,
    "null": _null,
}


def _spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
