"""Values of JSON schemas: what is generated fits, and what fits can be generated."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import pytest

from sqlax.errors import BindError, UnsupportedError
from sqlax.runtime.constrain.json_schema import json_expression
from sqlax.runtime.constrain.subsets import byte_automaton
from tests.runtime.constrain.walks import walks

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 8},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "tags": {"type": "array", "items": {"enum": ["a", "ab", "a b", None, 1]}, "maxItems": 3},
        "home": {
            "type": "object",
            "properties": {"zip": {"type": "string", "pattern": "^[0-9]{5}$"}},
            "required": ["zip"],
        },
        "score": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    },
    "required": ["name", "home"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, Any] = {
    "person": PERSON,
    "all_optional": {"properties": {"a": {"type": "null"}, "b": {"type": "boolean"}}},
    "no_fields": {"type": "object"},
    "any_string": {"type": "string"},
    "pattern_and_length": {"type": "string", "pattern": 'a|"', "minLength": 2, "maxLength": 4},
    "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    "list_of_lists": {"type": "array", "items": {"items": {"const": {"a": [1, "é"]}}}},
    "at_most_one": {"type": "array", "items": {"type": "null"}, "maxItems": 1},
    "none": {"type": "array", "items": {"type": "null"}, "maxItems": 0},
    "number": {"type": "number"},
    "cents": {"type": "number", "multipleOf": 0.01, "minimum": -1, "exclusiveMaximum": 1.5},
    "open_range": {"type": "number", "minimum": 0.125},
    "several": {"type": ["string", "integer", "number", "null"], "maxLength": 2, "maximum": 9},
    "any_of": {"anyOf": [{"type": "boolean"}, {"type": "string", "format": "date"}]},
    "date_time": {"type": "string", "format": "date-time"},
}


def fits(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a parsed value fits: the rules of JSON Schema, as far as these tests use them."""
    if "anyOf" in schema:
        return any(fits(value, part) for part in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return value in schema.get("enum", [schema.get("const")])
    kinds = schema.get("type", "object" if "properties" in schema else "array")
    return any(KINDS[k](value, schema) for k in ([kinds] if isinstance(kinds, str) else kinds))


def is_object(value: Any, schema: Mapping[str, Any]) -> bool:
    declared = schema.get("properties", {})
    return (
        isinstance(value, dict)
        and set(schema.get("required", [])) <= set(value) <= set(declared)
        and list(value) == [name for name in declared if name in value]
        and all(fits(item, declared[name]) for name, item in value.items())
    )


def is_array(value: Any, schema: Mapping[str, Any]) -> bool:
    sized = isinstance(value, list) and schema.get("minItems", 0) <= len(value)
    return (
        sized
        and len(value) <= schema.get("maxItems", len(value))
        and all(fits(item, schema["items"]) for item in value)
    )


def is_string(value: Any, schema: Mapping[str, Any]) -> bool:
    if not isinstance(value, str):
        return False
    lengths = schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
    return lengths and re.search(schema.get("pattern", ""), value) is not None


def is_number(value: Any, schema: Mapping[str, Any]) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    value, step = Decimal(value), Decimal(str(schema.get("multipleOf", 0)))
    return (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
        and ("exclusiveMinimum" not in schema or schema["exclusiveMinimum"] < value)
        and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
        and (not step or value % step == 0)
    )


KINDS: dict[str, Callable[[Any, Mapping[str, Any]], bool]] = {
    "object": is_object,
    "array": is_array,
    "string": is_string,
    "integer": lambda value, schema: is_number(value, schema) and isinstance(value, int),
    "number": is_number,
    "boolean": lambda value, schema: isinstance(value, bool),
    "null": lambda value, schema: value is None,
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_what_is_generated_fits(name: str) -> None:
    schema = SCHEMAS[name]
    for text in walks(json_expression(schema), 7, 150, stop=0.03):
        value = json.loads(text, parse_float=Decimal)
        assert fits(value, schema), text
        outside_strings = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)
        assert not re.search(r"\s", outside_strings)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("any_string", ["", '\n\t"\\/é🙂', "\x7f"]),
        ("all_optional", [{}, {"a": None}, {"b": True}, {"a": None, "b": False}]),
        ("list", [[1, -2], [0] * 9]),
        ("at_most_one", [[], [None]]),
        ("person", [{"name": "é", "home": {"zip": "12345"}, "score": 0.25}]),
        ("cents", [-1, 0, 1.49, -0.5]),
        ("open_range", [0.125, 1, 999.5]),
        ("several", ["ab", 9, 0.5, None]),
        ("any_of", [True, "2024-02-29"]),
        ("date_time", ["2024-02-29T00:00:00Z"]),
        ("pattern_and_length", ["ba", '"""', "xxxa"]),
    ],
)
def test_what_fits_can_be_generated(name: str, values: list[Any]) -> None:
    automaton = byte_automaton(json_expression(json.dumps(SCHEMAS[name])))
    for value in values:
        assert automaton.accepts(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("any_string", ['"a', '"\n"', '"\\u0061"', '"\\x"', ' "a"', '"a" ', '"\x01"']),
        ("all_optional", ['{"b":true,"a":null}', '{,"b":true}', '{"a":null,}', '{ "a":null}']),
        ("list", ["[]", "[1]", "[1, 2]", "[01,2]", "[1,2,]"]),
        ("at_most_one", ["[null,null]", "[,null]"]),
        ("person", ['{"name":"","home":{"zip":"12345"}}', '{"name":"a"}']),
        ("cents", ["1.5", "-1.01", "0.001", "-0"]),
    ],
)
def test_what_does_not_fit_is_never_generated(name: str, texts: list[str]) -> None:
    automaton = byte_automaton(json_expression(SCHEMAS[name]))
    assert not any(automaton.accepts(text) for text in texts)


@pytest.mark.parametrize(
    ("schema", "construct"),
    [
        ({"$ref": "#"}, r"\$ref"),
        ({"oneOf": [{"type": "null"}]}, "oneOf"),
        ({"type": "string", "not": {"const": "a"}}, "not"),
        ({"type": "object", "patternProperties": {}}, "patternProperties"),
        ({"type": "array", "items": {"type": "null"}, "uniqueItems": True}, "uniqueItems"),
        ({"anyOf": [{"type": "null"}], "type": "null"}, "type"),
        ({"type": "integer", "multipleOf": 3}, "multipleOf"),
        ({"type": "number", "multipleOf": 0.5}, "multipleOf"),
        ({}, "says no type"),
        ({"type": "array", "items": True}, "says no type"),
        ({"type": "string", "pattern": "(?=a)"}, "not supported"),
    ],
)
def test_an_unsupported_keyword_is_named(schema: dict[str, Any], construct: str) -> None:
    with pytest.raises(UnsupportedError, match=construct):
        json_expression(schema)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ("{", "no JSON"),
        ("[]", "no schema"),
        ({"type": "text"}, "no type"),
        ({"type": ["text"]}, "the types are"),
        ({"type": "array"}, "needs items"),
        ({"type": "object", "required": ["a"]}, "'a' is no property"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "no integer"),
        ({"type": "number", "minimum": 2, "exclusiveMaximum": 2}, "no number"),
        ({"type": "number", "minimum": "2"}, "expected a number"),
        ({"type": "string", "minLength": -1}, "natural number"),
        ({"type": "string", "minLength": 2, "maxLength": 1}, "less than minLength"),
        ({"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 0}, "maxItems"),
        ({"type": "string", "format": "email"}, "format"),
        ({"enum": []}, "not empty"),
        ({"anyOf": []}, "not empty"),
        ({"title": "a"}, "type is missing"),
    ],
)
def test_a_broken_schema_is_refused(schema: Any, reason: str) -> None:
    with pytest.raises(BindError, match=reason):
        json_expression(schema)


def test_annotations_allow_and_forbid_nothing() -> None:
    annotated = {"type": "null", "title": "t", "description": "d", "default": None}
    assert byte_automaton(json_expression(annotated)).accepts("null")
