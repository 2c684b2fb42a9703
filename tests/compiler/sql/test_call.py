"""A call of a semantic function becomes one validated value, whatever its spelling."""

import pytest

from sqlax.compiler.sql.call import SemanticCall, bind_call, return_type
from sqlax.compiler.sql.canonical import canonical
from sqlax.compiler.sql.examples import Example, Label
from sqlax.compiler.sql.functions import Function
from sqlax.compiler.sql.prompt import Literal
from sqlax.compiler.sql.rewrite import find_calls, parse_query
from sqlax.compiler.sql.tokens import Dialect


def bind(call: str, dialect: Dialect = "duckdb") -> SemanticCall:
    sql = f"SELECT {call} FROM t"
    (node,) = find_calls(parse_query(sql, dialect))
    return bind_call(node, sql, dialect)


SPELLINGS: dict[str, tuple[str, Dialect]] = {
    "alias": ("AI_FILTER(('Is this positive? ', review))", "duckdb"),
    "lower case": ("ai_if(('Is this positive? ', review))", "duckdb"),
    "dotted": ("AI.IF(('Is this positive? ', review))", "duckdb"),
    "dotted with blanks": ("ai . if (('Is this positive? ', review))", "duckdb"),
    "alloydb": ("google_ml.if(prompt => ('Is this positive? ' || review))", "duckdb"),
    "named": ("AI_IF(prompt := ('Is this positive? ', review))", "duckdb"),
    "row": ("AI_IF(ROW('Is this positive? ', review))", "duckdb"),
    "struct": ("AI_IF(STRUCT('Is this positive? ', review))", "duckdb"),
    "pipes": ("AI_IF('Is this positive? ' || review)", "duckdb"),
    "nested pipes": ("AI_IF('Is this ' || ('positive? ' || '' || review))", "duckdb"),
    "concat": ("AI_IF(CONCAT('Is this ', 'positive? ', review))", "duckdb"),
    "adjacent literals": ("AI_IF(('Is this ' 'positive? ', review))", "duckdb"),
    "numbered template": ("AI_IF(PROMPT('Is this positive? {0}', review))", "duckdb"),
    "named template": ("AI_IF('Is this positive? {review}')", "duckdb"),
    "template in brackets": ("AI_IF(('Is this positive? { review }'))", "duckdb"),
    "case and quotes": ("AI_IF(('Is this positive? ', \"Review\"))", "duckdb"),
    "dollar quotes": ("AI_IF(($$Is this positive? $$, review))", "duckdb"),
    "escape string": ("AI_IF((E'Is this positive? ', review))", "duckdb"),
    "comment": ("AI_IF(/* ? */ ('Is this positive? ', review) -- AI_IF(\n)", "duckdb"),
    "defaults": ("AI_IF(('Is this positive? ', review), threshold => .5, raw => FALSE)", "duckdb"),
    "flock": (
        "llm_filter({'model_name': 'default'}, {'prompt': 'Is this positive?', "
        "'context_columns': [{'data': review}]})",
        "duckdb",
    ),
    "thalamusdb": ("NLfilter(review, 'Is this positive?')", "duckdb"),
    "snowflake pair": ("AI_FILTER('Is this positive? ', review)", "snowflake"),
    "bigquery": (
        'AI.IF(("Is this positive? ", review), connection_id => "c", '
        "model_params => JSON '{\"a\": 1}')",
        "bigquery",
    ),
    "bigquery raw": ("AI.IF(prompt => (r'Is this positive? ', `review`))", "bigquery"),
    "bigquery struct": ("AI.IF(STRUCT('Is this positive? ' AS p, review AS r))", "bigquery"),
}


@pytest.mark.parametrize(("call", "dialect"), SPELLINGS.values(), ids=SPELLINGS)
def test_t31_every_spelling_is_the_same_call(call: str, dialect: Dialect) -> None:
    expected = bind("AI_IF(('Is this positive? ', review))")
    found = bind(call, dialect)
    assert found == expected
    assert hash(found) == hash(expected)
    assert canonical(found) == canonical(expected)


@pytest.mark.parametrize(
    "other",
    [
        "AI_SCORE(('Is this positive? ', review))",
        "AI_IF(('Is this positive?', review))",
        "AI_IF((review, 'Is this positive? '))",
        "AI_IF(('Is this positive? ', 'review'))",
        "AI_IF(('Is this positive? ', t.other))",
        "AI_IF(('Is this positive? ', review), threshold => .6)",
        "AI_IF(('Is this positive? ', review), model => 'm')",
        "AI_IF(('Is this positive? ', review), examples => [('a', TRUE)])",
        "AI_IF(('Is this positive? ', review), on_error => 'raise')",
        "AI_IF(('Is this positive? ', review), raw => TRUE)",
    ],
)
def test_calls_that_may_differ_are_not_equal(other: str) -> None:
    expected = bind("AI_IF(('Is this positive? ', review))")
    assert bind(other) != expected
    assert canonical(bind(other)) != canonical(expected)


def test_equality_ignores_place_and_what_a_score_does_not_use() -> None:
    one = bind("AI_IF(x)")
    two = bind("1 + AI_IF(x, seed => 7, temperature => 0, max_tokens => 3)")
    assert one == two
    assert one.span != two.span


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("AI_IF(x)", "BOOLEAN"),
        ("AI_CLASSIFY(x, ['a', 'b'])", "VARCHAR"),
        ("AI_CLASSIFY(x, ['a', 'b'], output_mode => 'MULTI')", "VARCHAR[]"),
        ("AI_SCORE(x)", "DOUBLE"),
        ("AI_COUNT_TOKENS(x)", "INTEGER"),
        (
            "AI_SCORE(x, return_error_details => TRUE)",
            'STRUCT("value" DOUBLE, "error" VARCHAR)',
        ),
    ],
)
def test_return_type(call: str, expected: str) -> None:
    assert return_type(bind(call)) == expected


def test_labels_in_every_form() -> None:
    call = bind(
        "AI_CLASSIFY(x, ['a', ('b', 'what b is'), {'label': 'c', 'description': 'd'}],"
        " task_description => 'a topic')"
    )
    assert call.labels == (Label("a"), Label("b", "what b is"), Label("c", "d"))
    assert call.task_description == "a topic"


@pytest.mark.parametrize(
    "labels",
    [
        "ARRAY['a', 'b']",
        "LIST_VALUE('a', 'b')",
        "('a', 'b')",
        "ARRAY('a', 'b')",
        "[STRUCT('a'), 'b']",
    ],
)
def test_label_lists(labels: str) -> None:
    call = bind(f"AI_CLASSIFY(x, {labels})")
    assert [label.text for label in call.labels] == ["a", "b"]


def test_classify_takes_more_arguments_than_the_typed_node_of_sqlglot() -> None:
    call = bind(
        "AI_CLASSIFY(x, categories => ['a', 'b'], output_mode => 'multi', threshold => .25,"
        " model => 'm', on_error => 'raise', max_error_ratio => 0.1, raw => TRUE)"
    )
    assert call.multi
    assert (call.threshold, call.model, call.on_error) == (0.25, "m", "raise")
    assert (call.max_error_ratio, call.raw) == (0.1, True)


def test_snowflake_options_struct() -> None:
    call = bind(
        "AI_CLASSIFY(x, ['a', 'b'], {'task_description': 'd', 'output_mode': 'multi',"
        " 'examples': [{'input': 't', 'labels': ['a', 'b'], 'explanation': 'e'}]})"
    )
    assert call.multi
    assert call.examples == (Example(("t",), "a, b"),)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("AI_IF(x, examples => [('t', TRUE), ('u', 'no')])", [("t", "yes"), ("u", "no")]),
        ("AI_IF(x, examples => [{'input': 't', 'output': 'False'}])", [("t", "no")]),
        ("AI_IF((x, y), examples => [('t', 'u', TRUE)])", [("t", "u", "yes")]),
        ("AI_IF((x, y), examples => [{'input': ['t', 'u'], 'answer': 1}])", [("t", "u", "yes")]),
        ("AI_CLASSIFY(x, ['a'], examples => [('t', 'a')])", [("t", "a")]),
        ("AI_SCORE(x, scale => [1, 5], examples => [('t', 3)])", [("t", "3")]),
        ("AI_SCORE(x, examples => [('t', TRUE)])", [("t", "yes")]),
    ],
)
def test_examples(call: str, expected: list[tuple[str, ...]]) -> None:
    assert [(*one.parts, one.answer) for one in bind(call).examples] == expected


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("[1, 5]", (1, 2, 3, 4, 5)),
        ("[1, 2, 3, 4, 5]", (1, 2, 3, 4, 5)),
        ("(-1, 1)", (-1, 0, 1)),
        ("[0, 0.5, 1]", (0, 0.5, 1)),
        ("[0.0, 1.0]", (0.0, 1.0)),
    ],
)
def test_scale(scale: str, expected: tuple[float, ...]) -> None:
    assert bind(f"AI_SCORE(x, scale => {scale})").scale == expected


def test_bigquery_endpoint_is_the_model_unless_it_belongs_to_a_connection() -> None:
    assert bind("AI.IF(x, endpoint => 'm')", "bigquery").model == "m"
    call = bind("AI.IF(x, endpoint => 'm', connection_id => 'c')", "bigquery")
    assert call.model is None
    assert [line.split()[0] for line in call.warnings] == ["connection_id", "endpoint"]


def test_flock_names_its_columns_and_model() -> None:
    call = bind(
        "llm_filter({'model_name': 'm'}, {'prompt': 'Same?'}, {'one': a.text, 'two': b.text})"
    )
    texts = [part.text if isinstance(part, Literal) else part.sql for part in call.prompt]
    assert call.model == "m"
    assert texts == ["Same? one: ", '"a"."text"', "\ntwo: ", '"b"."text"']


def test_nested_calls_come_after_their_outer_call() -> None:
    sql = "SELECT CASE WHEN AI_IF(('x', AI_CLASSIFY(r, ['a', 'b']))) THEN AI_SCORE(r) END FROM t"
    found = [bind_call(node, sql).function for node in find_calls(parse_query(sql))]
    assert found[0] is not Function.CLASSIFY
    assert found[-1] is Function.CLASSIFY
    assert set(found) == {Function.IF, Function.SCORE, Function.CLASSIFY}


def test_stop_strings_are_one_or_a_list_in_any_order() -> None:
    one = bind("AI_GENERATE(x, stop => 'END', return_type => 'varchar')").generation
    two = bind(r"AI_GENERATE(x, stop => [E'\n', 'END'])").generation
    assert one is not None
    assert two is not None
    assert (one.stop, two.stop) == (("END",), ("\n", "END"))
    assert bind(r"AI_GENERATE(x, stop => ('END', E'\n', 'E' || 'ND'))").generation == two
