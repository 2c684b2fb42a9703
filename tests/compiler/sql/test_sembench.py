"""SemBench's Movie queries in BigQuery's SQL: each parses and binds to the expected call."""

import pytest
from sqlglot import exp

from sqlax.compiler.sql.call import bind_call
from sqlax.compiler.sql.functions import Function
from sqlax.compiler.sql.prompt import Literal, Value
from sqlax.compiler.sql.rewrite import find_calls, parse_query
from sqlax.compiler.sql.statement import Kind, read_statements

PROMPT = "Determine if the following movie review is clearly positive, review: "

TAIL = (
    "connection_id => 'us.connection', model_params => JSON"
    ' \'{"labels":{"query_uuid": "7"}, "generation_config":'
    '{"thinking_config": {"thinking_budget": 0}}}\''
)

POSITIVE = f"AI.IF(('{PROMPT}', r.reviewText), {TAIL})"

RUBRIC = '''"""
    Score from 1 to 5 how much the reviewer "liked" the movie.

    5: Very positive. It's a delight.
    1: Very negative.

    Review:
    """'''

QUERIES = {
    "Q1": f"SELECT reviewId FROM movie.reviews AS r WHERE {POSITIVE} LIMIT 5;",
    "Q2": (
        f"SELECT reviewId FROM movie.reviews AS r WHERE r.id = 'taken_3' AND {POSITIVE} LIMIT 5;"
    ),
    "Q3": (
        "SELECT COUNT(*) AS positive_review_cnt FROM movie.reviews AS r"
        f" WHERE r.id = 'taken_3' AND {POSITIVE};"
    ),
    "Q4": (
        f"SELECT CAST(SUM(CASE WHEN {POSITIVE} THEN 1 ELSE 0 END) AS FLOAT64) / COUNT(*)"
        " AS positivity_ratio FROM movie.reviews AS r WHERE r.id = 'taken_3';"
    ),
    "Q8": (
        "SELECT sentiment_label AS scoreSentiment, COUNT(*) AS count FROM (SELECT CASE WHEN"
        f" {POSITIVE} THEN 'POSITIVE' ELSE 'NEGATIVE' END AS sentiment_label"
        " FROM movie.reviews AS r WHERE r.id = 'taken_3') AS sentiment_results"
        " GROUP BY sentiment_label;"
    ),
    "Q9": (
        f"SELECT reviewId,\n AI.SCORE((\n {RUBRIC}, reviewText),\n {TAIL}) AS reviewScore"
        " FROM movie.reviews WHERE id = 'ant_man_and_the_wasp_quantumania';"
    ),
    "Q10": (
        f"SELECT id AS movieId, AVG(AI.SCORE(({RUBRIC}, reviewText), {TAIL},"
        " endpoint => 'gemini')) AS movieScore FROM movie.reviews GROUP BY id;"
    ),
}


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_a_bigquery_text_parses_and_binds(sql: str) -> None:
    (statement,) = read_statements(sql, "bigquery")
    assert statement.kind is Kind.QUERY
    tree = parse_query(sql, "bigquery", statement.query_span)
    (node,) = find_calls(tree)
    call = bind_call(node, sql, "bigquery")
    (question, review) = call.prompt
    assert call.model is None
    assert call.function is (Function.SCORE if "SCORE" in sql else Function.IF)
    assert isinstance(question, Literal)
    assert question.text == (RUBRIC.strip('"') if call.function is Function.SCORE else PROMPT)
    assert isinstance(review, Value)
    assert isinstance(review.expression, exp.Column)
    assert review.expression.name == "reviewText"


@pytest.mark.parametrize("sql", QUERIES.values(), ids=QUERIES)
def test_the_tree_is_neutral(sql: str) -> None:
    """DuckDB can read the rest of the query: double quotes became single, FLOAT64 DOUBLE."""
    text = parse_query(sql, "bigquery").sql(dialect="duckdb")
    assert "FLOAT64" not in text
    assert '"""' not in text
    assert find_calls(parse_query(text))


def test_classify_with_described_categories() -> None:
    sql = (
        "SELECT AI.CLASSIFY(('What is it? ', d.name, ' ', d.descriptors.value), categories =>"
        " [('Dress', 'worn on the torso'), ('Socks', \"worn on the feet\")], "
        f"{TAIL}) AS category FROM shop.styles d"
    )
    (node,) = find_calls(parse_query(sql, "bigquery"))
    labels = bind_call(node, sql, "bigquery").labels
    assert [label.text for label in labels] == ["Dress", "Socks"]
    assert labels[1].description == "worn on the feet"


def test_flock_text() -> None:
    sql = (
        "SELECT COUNT(*) FROM reviews AS r WHERE r.id == 'taken_3' AND llm_filter("
        "{'model_name': 'm'}, {'prompt': 'The review is clearly positive.'},"
        " {'review': r.reviewText})"
    )
    (node,) = find_calls(parse_query(sql))
    call = bind_call(node, sql)
    assert call.model == "m"
    assert call.prompt[0] == Literal("The review is clearly positive. review: ")
