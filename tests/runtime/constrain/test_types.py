"""Values of SQL types against DuckDB's casts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from sqlax.errors import BindError, UnsupportedError
from sqlax.runtime.constrain.byte_automaton import ByteAutomaton
from sqlax.runtime.constrain.numbers import decimal_between, integer_between
from sqlax.runtime.constrain.sql_type import ListOf, Scalar, Struct, parse_columns, parse_type
from sqlax.runtime.constrain.subsets import byte_automaton
from sqlax.runtime.constrain.type_schema import schema_of_type, text_of_type
from tests.runtime.constrain.oracle import answers
from tests.runtime.constrain.walks import walks

INTEGERS = ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"]
CASTABLE = [
    *INTEGERS,
    *(f"U{name}" for name in INTEGERS),
    "DOUBLE",
    "FLOAT",
    "BOOLEAN",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "UUID",
    "DECIMAL(5,2)",
    "DECIMAL(4,0)",
    "ENUM('a', 'ab', 'é')",
    "STRUCT(a INTEGER, b VARCHAR(4), c DOUBLE[])",
    "INTEGER[]",
    "DATE[2]",
]


def of_type(text: str) -> ByteAutomaton:
    return byte_automaton(text_of_type(parse_type(text)))


@pytest.mark.parametrize("name", CASTABLE)
def test_every_text_casts(name: str) -> None:
    texts = walks(text_of_type(parse_type(name)), 1, 200)
    source = f"CAST(t::JSON AS {name})" if "[" in name or "STRUCT" in name else f"t::{name}"
    source = source.replace("VARCHAR(4)", "VARCHAR")
    assert len(answers(f"{source} IS NOT NULL", texts)) == len(texts)


@pytest.mark.parametrize("name", ["BIGINT", "DATE", "TIME", "TIMESTAMP", "BOOLEAN", "DECIMAL(5,2)"])
def test_a_value_has_one_spelling_where_it_is_exact(name: str) -> None:
    texts = walks(text_of_type(parse_type(name)), 2, 100)
    if name.startswith("DECIMAL"):
        texts = [f"{Decimal(text):.2f}" for text in texts]
    assert all(answers(f"t::{name}::VARCHAR = t", texts))


@pytest.mark.parametrize(("name", "bits"), list(zip(INTEGERS, [8, 16, 32, 64, 128], strict=True)))
@pytest.mark.parametrize("sign", ["", "U"])
def test_integers_are_those_that_fit(name: str, bits: int, sign: str) -> None:
    low, high = (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    automaton = of_type(sign + name)
    for value in (low, high, 0, 7, 10, 99, high - 1):
        assert automaton.accepts(str(value))
    for text in (str(low - 1), str(high + 1), "", "-0", "007", "+1", " 1", "1.0", "1e3"):
        assert not automaton.accepts(text)


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (-5, 12), (95, 1203), (-120, -7), (1, 9), (10, 99), (199, 201)]
)
def test_ranges_of_integers_are_exact(low: int, high: int) -> None:
    automaton = byte_automaton(integer_between(low, high))
    found = [value for value in range(-1500, 1500) if automaton.accepts(str(value))]
    assert found == list(range(low, high + 1))


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("0", "1"),
        ("-1.25", "0.5"),
        ("0.05", "0.051"),
        ("-3", "-2.9"),
        ("9.99", "10.01"),
        ("2", "1"),
    ],
)
def test_ranges_of_decimals_are_exact(low: str, high: str) -> None:
    automaton = byte_automaton(decimal_between(Decimal(low), Decimal(high), 3))
    for number in range(-3200, 10200, 1):
        value = Decimal(number).scaleb(-3)
        for text in {f"{value:.3f}", f"{value.normalize():f}"}:
            inside = Decimal(low) <= value <= Decimal(high) and text not in ("-0", "-0.000")
            assert automaton.accepts(text) == inside, text
    assert not automaton.accepts("0.0000")


def test_dates_are_those_of_the_calendar() -> None:
    years = [1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999]
    texts = [f"{y:04}-{m:02}-{d:02}" for y in years for m in range(14) for d in range(33)]
    automaton = of_type("DATE")
    assert [automaton.accepts(text) for text in texts] == answers(
        "TRY_CAST(t AS DATE) IS NOT NULL", texts
    )
    for text in ("0000-01-01", "2024-1-01", "2024-01-01 ", "02024-01-01"):
        assert not automaton.accepts(text)


def test_times_have_sixty_minutes() -> None:
    automaton = of_type("TIMESTAMP")
    assert automaton.accepts("2024-02-29 23:59:59")
    for text in ("2023-02-29 00:00:00", "2024-01-01 24:00:00", "2024-01-01 00:60:00"):
        assert not automaton.accepts(text)


def test_doubles_are_exact_from_their_digits() -> None:
    """One multiplication or division by a power of ten gives what a full parser gives."""
    for text in walks(text_of_type(parse_type("DOUBLE")), 3, 500, stop=0.05):
        digits, _, exponent = text.partition("e")
        whole, _, fraction = digits.partition(".")
        mantissa, power = int(whole + fraction), int(exponent or 0) - len(fraction)
        assert abs(mantissa) < 2**53
        assert abs(power) <= 22
        value = mantissa * 10.0**power if power >= 0 else mantissa / 10.0**-power
        assert abs(value) == abs(float(text))


def test_labels_may_begin_one_another() -> None:
    automaton = of_type("ENUM('a', 'abc', 'it''s', '')")
    assert [automaton.accepts(t) for t in ("a", "abc", "it's", "")] == [True] * 4
    assert [automaton.accepts(t) for t in ("ab", "abca", "A")] == [False] * 3


def test_the_length_of_text_counts_characters() -> None:
    automaton = of_type("VARCHAR(3)")
    assert [automaton.accepts(t) for t in ("", "aé🙂", "a\nb")] == [True] * 3
    assert not automaton.accepts("aé🙂日")


def test_types_are_read() -> None:
    parsed = parse_type('struct("a ""b" VARCHAR(3)[], c double precision)[2]')
    fields = (('a "b', ListOf(Scalar("varchar", (3,)))), ("c", Scalar("double")))
    assert parsed == ListOf(Struct(fields), 2)
    assert parse_columns("n INT, s TEXT") == Struct(
        (("n", Scalar("integer")), ("s", Scalar("varchar")))
    )
    assert parse_type("DECIMAL(5, 2)") == Scalar("decimal", (5, 2))


def test_the_schema_of_a_type() -> None:
    schema = schema_of_type(parse_columns("d DATE, s VARCHAR(9), l ENUM('x')[]"), nullable=True)
    null = {"type": "null"}
    assert schema["required"] == ["d", "s", "l"]
    assert schema["properties"] == {
        "d": {"anyOf": [{"type": "string", "format": "date"}, null]},
        "s": {"anyOf": [{"type": "string", "maxLength": 9}, null]},
        "l": {"type": "array", "items": {"anyOf": [{"enum": ["x"]}, null]}},
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("INTEGR", "is no type"),
        ("", "is no type"),
        ("INT INT", "is no type"),
        ("INT]", "too much"),
        ("STRUCT(a INT", "expected"),
        ("STRUCT(a INT, A INT)", "same name"),
        ("ENUM(a)", "no text in quotes"),
        ("INT[x]", "no number"),
        ("STRUCT('a' INT)", "no name"),
    ],
)
def test_what_is_no_type_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BindError, match=reason):
        parse_type(text)


@pytest.mark.parametrize("text", ["INTERVAL", "BLOB", "TIMESTAMPTZ", "INTERVAL[]", "JSON"])
def test_a_type_without_texts_is_named(text: str) -> None:
    with pytest.raises(UnsupportedError, match="cannot be generated"):
        text_of_type(parse_type(text))


def test_a_long_decimal_inside_json_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="15 digits"):
        text_of_type(parse_type("DECIMAL(30,2)[]"))
