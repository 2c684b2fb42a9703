"""What is wrong with a call is said at bind time, and the place is underlined."""

import pytest

from sqlax.compiler.sql.call import SemanticCall, bind_call
from sqlax.compiler.sql.rewrite import find_calls, parse_query
from sqlax.compiler.sql.tokens import Dialect
from sqlax.errors import BindError, SqlError, UnsupportedError


def bind(call: str, dialect: Dialect = "duckdb") -> SemanticCall:
    sql = f"SELECT {call} FROM t"
    (node,) = find_calls(parse_query(sql, dialect))
    return bind_call(node, sql, dialect)


def underlined(error: SqlError) -> str:
    assert error.sql is not None
    assert error.span is not None
    return error.sql[error.span.start : error.span.end]


FREE = "stop is for free text"

ERRORS = {
    "no prompt": ("AI_IF()", "needs a prompt", "AI_IF()"),
    "empty prompt": ("AI_IF('')", "is empty", "''"),
    "two columns": ("AI_IF(x, y)", "in brackets", "y"),
    "count tokens of two": ("AI_COUNT_TOKENS(x, y)", "takes 1", "y"),
    "no categories": ("AI_CLASSIFY(x)", "needs categories", "AI_CLASSIFY(x)"),
    "empty categories": ("AI_CLASSIFY(x, [])", "categories is empty", "[]"),
    "category twice": ("AI_CLASSIFY(x, ['a', 'b', 'a'])", "'a' is given twice", "'a'"),
    "blank category": ("AI_CLASSIFY(x, ['a', ' '])", "cannot be blank", "' '"),
    "number as category": ("AI_CLASSIFY(x, ['a', 7])", "must be a text, not 7", "7"),
    "null category": ("AI_CLASSIFY(x, [NULL])", "must be a text, not NULL", "[NULL]"),
    "column as category": ("AI_CLASSIFY(x, ['a', y])", "not the column y", "y"),
    "quoted category": ('AI_CLASSIFY(x, ["a b"])', "dialect='bigquery'", '"a b"'),
    "parameter as categories": ("AI_CLASSIFY(x, $l)", "a bind parameter", "$l"),
    "text as categories": ("AI_CLASSIFY(x, 'a')", "must be a list", "'a'"),
    "three in a category": (
        "AI_CLASSIFY(x, [('a', 'b', 'c')])",
        "and a description",
        "'a', 'b', 'c'",
    ),
    "threshold too big": ("AI_IF(x, threshold => 1.5)", "from 0 to 1, not 1.5", "1.5"),
    "threshold negative": ("AI_IF(x, threshold => -0.5)", "from 0 to 1", "0.5"),
    "threshold column": ("AI_IF(x, threshold => y)", "must be a number, not the column y", "y"),
    "threshold of one": ("AI_CLASSIFY(x, ['a'], threshold => .5)", "'multi'", "threshold => .5"),
    "unknown argument": ("AI_IF(x, treshold => .5)", "did you mean threshold", "treshold => .5"),
    "argument of another": ("AI_IF(x, scale => [1, 5])", "no argument scale", "scale => [1, 5]"),
    "given twice": ("AI_IF(x, raw => TRUE, raw := TRUE)", "raw is given twice", "raw := TRUE"),
    "given twice by alias": ("AI_IF(x, prompt => y)", "prompt is given twice", "prompt => y"),
    "positional last": ("AI_IF(prompt => x, y)", "cannot follow a named one", "y"),
    "raw as text": ("AI_IF(x, raw => 'yes')", "must be TRUE or FALSE", "'yes'"),
    "on_error": ("AI_IF(x, on_error => 'skip')", "'null' or 'raise', not 'skip'", "'skip'"),
    "output_mode": ("AI_CLASSIFY(x, ['a'], output_mode => 'all')", "'single' or 'multi'", "'all'"),
    "temperature": ("AI_IF(x, temperature => .7)", "must be 0", "temperature => .7"),
    "max_tokens": ("AI_IF(x, max_tokens => 0)", "integer of at least 1", "0"),
    "seed": ("AI_IF(x, seed => 1.5)", "must be an integer, not 1.5", "1.5"),
    "blank model": ("AI_IF(x, model => ' ')", "must name a model", "model => ' '"),
    "falling scale": ("AI_SCORE(x, scale => [5, 1])", "ascending", "scale => [5, 1]"),
    "scale of one": ("AI_SCORE(x, scale => [5])", "ascending", "scale => [5]"),
    "long scale": ("AI_SCORE(x, scale => [0, 1000])", "more than 101", "scale => [0, 1000]"),
    "example's label": ("AI_CLASSIFY(x, ['a'], examples => [('t', 'b')])", "not among", "'b'"),
    "example's score": ("AI_SCORE(x, scale => [1, 5], examples => [('t', 9)])", "9 is not on", "9"),
    "example's answer": ("AI_IF(x, examples => [('t', 'maybe')])", "TRUE or FALSE", "'maybe'"),
    "example's parts": ("AI_IF(x, examples => [('t', 'u', 'v', TRUE)])", "1 text or 1", None),
    "example alone": ("AI_IF(x, examples => ['t'])", "must be a list", "'t'"),
    "empty stop": ("AI_GENERATE(x, stop => '')", "stop string is empty", "stop => ''"),
    "empty among stops": ("AI_GENERATE(x, stop => ['a', ''])", "stop string is empty", None),
    "no stops": ("AI_GENERATE(x, stop => [])", "stop is empty", "stop => []"),
    "null stop": ("AI_GENERATE(x, stop => NULL)", "must be a text, not NULL", "stop => NULL"),
    "null among stops": ("AI_GENERATE(x, stop => ['a', NULL])", "must be a text, not NULL", None),
    "column as stop": ("AI_GENERATE(x, stop => y)", "not the column y: it must be a constant", "y"),
    "parameter as stop": ("AI_GENERATE(x, stop => $p)", "a bind parameter", None),
    "number as stop": ("AI_GENERATE(x, stop => ['a', 7])", "must be a text, not 7", "7"),
    "stop and schema": ("AI_GENERATE(x, schema => 'n INT', stop => 'a')", FREE, "stop => 'a'"),
    "stop and pattern": ("AI_GENERATE(x, pattern => 'a*', stop => 'a')", FREE, "stop => 'a'"),
    "stop and choices": ("AI_GENERATE(x, choices => ['a'], stop => 'a')", FREE, "stop => 'a'"),
    "stop and type": ("AI_GENERATE(x, return_type => 'INTEGER', stop => 'a')", FREE, "stop => 'a'"),
    "stop and length": ("AI_GENERATE(x, return_type => 'VARCHAR(9)', stop => 'a')", FREE, None),
    "stop of fields": ("AI_EXTRACT(x, {'a': 'INT'}, stop => 'a')", FREE, "stop => 'a'"),
    "stop of a score": ("AI_IF(x, stop => 'a')", "no argument stop", "stop => 'a'"),
    "distinct": ("AI_IF(DISTINCT x)", "no aggregate", "DISTINCT x"),
    "star": ("AI_IF(*)", "no aggregate", "*"),
    "window": ("AI_IF(x) OVER ()", "neither OVER nor FILTER", "AI_IF(x)"),
    "filter": ("AI_IF(x) FILTER (WHERE y)", "neither OVER nor FILTER", "AI_IF(x)"),
}


@pytest.mark.parametrize(("call", "message", "place"), ERRORS.values(), ids=ERRORS)
def test_what_is_wrong_is_said_and_underlined(call: str, message: str, place: str | None) -> None:
    with pytest.raises(BindError, match=message) as caught:
        bind(call)
    if place is not None:
        assert underlined(caught.value) == place


def test_snowflake_classify_returns_an_object_and_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="OBJECT"):
        bind("AI_CLASSIFY(x, ['a', 'b'])", "snowflake")
